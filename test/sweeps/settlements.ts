import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createOverrides, type Overrides } from '../../src/world/control/overrides.ts';
import type { WorldAccountId } from '../../src/world/life/accounts.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';
import type { Post } from '../../src/world/life/post.ts';
import { isCounted } from '../../src/world/life/post-kind.ts';
import { createTimeline } from '../../src/world/life/timeline.ts';
import { createRng, type Rng } from '../../src/world/rng.ts';
import { trackingId } from '../../src/world/wire/oracle-rest.ts';
import type { OutputOf, StreamName } from '../../streams/internal.ts';
import { readForecastIds, readMeta, readTweets } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** No two rounds live at the same time of the week. */
const FIRST_START_AT = Date.parse('2026-11-04T15:00:00Z');
const ROUND_APART_MS = 7 * HOUR_MS;
/** An answer of the posts API is at most this old when it is stored: a request is given 2 s, its list is 1 s old. */
const ANSWER_MS = 5_000;

/** Far longer than any machine needs to read the counts for the first time; the rest of it is skipped. */
const FIRST_READ_MS = 10 * MINUTE_MS;

interface Tracked {
  readonly id: number;
  readonly slug: string;
  readonly account: WorldAccountId;
  readonly startAt: number;
  readonly endAt: number;
}

/** What one round saw, beside its verdicts. */
export interface SettlementFigures {
  rounds: number;
  events: number;
  posts: number;
  /** Posts that were deleted within seconds. */
  deletions: number;
  stalls: number;
  /** Readings of a count while the world went on. */
  readings: number;
  forecasts: number;
  scores: number;
  /** Events whose own count is not the one that settled. */
  differing: number;
  /** Mean log score of the winner's probability, and share of settled counts inside p5..p95. */
  logScore: number;
  covered: number;
}

export interface SettlementSweep {
  readonly rounds: number;
  readonly seed: number;
  /** With four weeks and more the forecasts of events that closed before the start are scored as well. */
  readonly historyDays: number;
  /** How long the world is disturbed, to the end of the last window. */
  readonly seconds: number;
  readonly report: (line: string) => void;
}

/**
 * Drives worlds through posts deleted within seconds, stalls of the oracle, back-fills and closes, and compares all that
 * the service said with the world's own posts, totals and winners. Rejects with every difference that has no reason.
 */
export async function sweepSettlements(sweep: SettlementSweep): Promise<SettlementFigures> {
  const { rounds, seed, report } = sweep;
  const figures: SettlementFigures = {
    rounds,
    events: 0,
    posts: 0,
    deletions: 0,
    stalls: 0,
    readings: 0,
    forecasts: 0,
    scores: 0,
    differing: 0,
    logScore: 0,
    covered: 0,
  };
  const faults: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const worldSeed = seed + round;
    const found = await playRound(worldSeed, sweep, figures);
    faults.push(...found.map((fault) => `seed ${worldSeed}: ${fault}`));
    report(`round ${round + 1} of ${rounds}, seed ${worldSeed}: ${found.length} faults`);
  }
  figures.logScore /= Math.max(1, figures.forecasts);
  figures.covered /= Math.max(1, figures.forecasts);
  assert.deepEqual(faults, []);
  return figures;
}

async function playRound(
  seed: number,
  { historyDays, seconds }: SettlementSweep,
  figures: SettlementFigures,
): Promise<readonly string[]> {
  const startAt = FIRST_START_AT + (seed % 24) * ROUND_APART_MS;
  const stage = await openStage({ startAt, seed, historyDays });
  const faults: string[] = [];
  try {
    const rng = createRng(seed, 'settlements');
    const events = addEvents(stage, rng, seconds);
    const unseen = [{ fromAt: Number.NEGATIVE_INFINITY, toAt: startAt }];
    const round = { stage, seed, startAt, unseen, events, faults, figures };
    const firstReading = readCounts(round);
    await firstReading.known();
    await eventually('an event has a forecast', async () => {
      const forecasts = await readForecastIds(stage.url(), 'account_a');
      return events.some(({ id }) => forecasts.has(id));
    });
    await firstReading.stop();
    await skipTo(Math.max(...events.map(({ endAt }) => endAt)) - seconds * 1_000, round);
    const reading = readCounts(round);
    await disturb(stage, rng, events, figures);
    await eventually('every window is over', () => events.every(({ endAt }) => stage.clock.wall() >= endAt));
    await reading.stop();
    stage.world.control.resumeOracle();
    for (const { id } of events) stage.world.control.closeEvent({ event: id });
    await compareStored(round);
  } finally {
    await stage.close();
  }
  return faults;
}

/** Short windows with narrow buckets, so that a single post decides. */
function addEvents({ world, clock }: Stage, rng: Rng, seconds: number): readonly Tracked[] {
  return [0, 1, 2, 3].map((index) => {
    const account = index % 2 === 0 ? 'a' : 'b';
    const now = clock.wall();
    // Windows are whole seconds, as the market's and the oracle's own are.
    const startAt = wholeSecond(now - rng.between(5, 180) * MINUTE_MS);
    const endAt = wholeSecond(now + FIRST_READ_MS + rng.between(seconds / 2, seconds) * 1_000);
    const bucketWidth = rng.int(1, 4);
    const slug = `account-${account}-of-posts-sweep-${index}`;
    const event = { account, startAt, endAt, bucketWidth, bucketCount: 90, slug, title: slug } as const;
    return { account, startAt, endAt, ...world.control.addEvent(event) };
  });
}

function wholeSecond(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}

interface Span {
  readonly fromAt: number;
  readonly toAt: number;
}

interface Round {
  readonly stage: Stage;
  readonly seed: number;
  readonly startAt: number;
  /** When nobody looked: before the first start, and while time was skipped. */
  readonly unseen: Span[];
  readonly events: readonly Tracked[];
  readonly faults: string[];
  readonly figures: SettlementFigures;
}

interface WorldState extends Readonly<Record<string, unknown>> {
  readonly posts: Overrides['posts'];
  readonly deletions: Readonly<Record<string, number>>;
}

/** Everything the world ever posted in a window, by the world's own arithmetic. */
function postsIn({ stage, seed, startAt }: Round, event: Tracked): readonly Post[] {
  const overrides = createOverrides();
  const state = stage.world.control.state() as WorldState;
  overrides.posts.push(...state.posts);
  for (const [id, at] of Object.entries(state.deletions)) overrides.deletions.set(id, at);
  const timeline = createTimeline({ seed, startAt, accounts: accountsOf(seed, 2), overrides });
  const posts: Post[] = [];
  const last = timeline.dayOf(event.account, event.endAt);
  for (let day = timeline.dayOf(event.account, event.startAt); day <= last; day++) {
    posts.push(...timeline.day(event.account, day).posts);
  }
  return posts.filter(
    ({ kind, createdAt }) => isCounted(kind) && event.startAt <= createdAt && createdAt < event.endAt,
  );
}

/** A post that came and went while nobody looked can only be known from the oracle's list. */
function wasToBeSeen({ unseen }: Round, { shownAt, deletedAt }: Post): boolean {
  return !unseen.some(({ fromAt, toAt }) => fromAt <= shownAt && deletedAt <= toAt);
}

/** Lets time pass, until the service has read what was posted meanwhile. */
async function skipTo(at: number, { stage, unseen }: Round): Promise<void> {
  const fromAt = stage.clock.wall() - ANSWER_MS;
  stage.skip(at - stage.clock.wall());
  for (const account of ['a', 'b'] as const) {
    await listed(stage, account, stage.world.control.post({ account }).id);
  }
  unseen.push({ fromAt, toAt: stage.clock.wall() });
}

async function listed(stage: Stage, account: WorldAccountId, id: string): Promise<void> {
  await eventually('the post is listed', async () => {
    const { data } = await readTweets(stage.url(), `account_${account}`, 20);
    return data.some(({ tweet_id }) => tweet_id === id);
  });
}

/**
 * Reads the counts again and again. A count is null or right: at least the posts that could be read when the posts were
 * last asked for, by the age the record gives, and at most those that exist.
 */
function readCounts(round: Round) {
  const { stage, events, faults, figures } = round;
  let isStopped = false;
  const known = new Set<number>();

  function check(event: Tracked, record: Awaited<ReturnType<typeof readMeta>>['data'][number], at: number) {
    const { real_counter: real, as_of: asOf } = record;
    if (real === null) return;
    known.add(event.id);
    figures.readings += 1;
    const posts = postsIn(round, event);
    const askedAt = at - (asOf.ages_ms.posts ?? 0) - ANSWER_MS;
    const certain = posts.filter((post) => post.shownAt <= askedAt && wasToBeSeen(round, post));
    const possible = posts.filter((post) => post.shownAt <= at);
    if (real < certain.length || real > possible.length) {
      faults.push(
        `event ${event.id} counted ${real} at ${at}, expected ${certain.length} to ${possible.length}`,
      );
    }
  }

  async function run() {
    while (!isStopped) {
      for (const account of ['a', 'b'] as const) {
        const { timestamp, data } = await readMeta(stage.url(), `account_${account}`);
        for (const record of data) {
          const event = events.find(({ id }) => id === record.event_id);
          if (event !== undefined) check(event, record, timestamp);
        }
      }
      await delay(100);
    }
  }
  const running = run();
  // Told by `stop`. After another failure nobody asks, and the service that was read is gone.
  running.catch(() => undefined);
  return {
    known: () => eventually('every count is known', () => known.size === events.length),
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

/** Posts, quick deletions, stalls and syncs until the last window is over. */
async function disturb(
  stage: Stage,
  rng: Rng,
  events: readonly Tracked[],
  figures: SettlementFigures,
): Promise<void> {
  const { control } = stage.world;
  const lastEndAt = Math.max(...events.map(({ endAt }) => endAt));
  while (stage.clock.wall() < lastEndAt) {
    const account = rng.chance(0.5) ? 'a' : 'b';
    const draw = rng.between(0, 1);
    if (draw < 0.35) await post(account);
    else if (draw < 0.7) {
      // Seen by the service, and most often gone before the oracle's next sync.
      control.deletePost({ id: await post(account) });
      figures.deletions += 1;
    } else if (draw < 0.8) {
      control.stallOracle({ account });
      figures.stalls += 1;
    } else if (draw < 0.9) control.resumeOracle({ account });
    else control.syncOracle({ account });
    await delay(rng.int(50, 500));
  }

  async function post(account: WorldAccountId): Promise<string> {
    const kind = rng.chance(0.8) ? 'original' : 'reply';
    const { id } = control.post({ account, kind });
    figures.posts += 1;
    await listed(stage, account, id);
    return id;
  }
}

/** Compares what was stored of each event with the world once the market has settled it. */
async function compareStored(round: Round): Promise<void> {
  const { stage, events } = round;
  const store = await openStore(stage.data, { readOnly: true });
  try {
    for (const event of events) {
      const settled = await settlementOf(stage, event);
      await eventually('the settlement is stored', () => {
        const counters = latestOf(store, 'counters', event.id);
        const listed = latestOf(store, 'events', event.id);
        return counters?.oracle === settled.total && listed?.phase === 'closed';
      });
      compareEvent(round, event, settled, store);
    }
    await compareScores(round, store);
  } finally {
    await store.close();
  }
}

function compareEvent(round: Round, event: Tracked, settled: Settled, store: Store): void {
  const { faults, figures } = round;
  figures.events += 1;
  const counters = latestOf(store, 'counters', event.id);
  const listed = latestOf(store, 'events', event.id);
  const truth = postsIn(round, event);
  const seen = new Set(store.outputs.latest('posts').map(({ key }) => key));
  const missing = truth.filter(({ id }) => !seen.has(id));
  const unexplained = missing.filter((post) => wasToBeSeen(round, post));
  for (const post of unexplained) faults.push(`event ${event.id} lacks the post ${post.id}`);
  const expected = truth.length - missing.length;
  if (counters?.real !== expected) {
    faults.push(`event ${event.id} counted ${counters?.real}, the world ${expected}`);
  }
  const winner = listed?.buckets.find(({ won }) => won);
  if (winner?.title !== settled.winner)
    faults.push(`event ${event.id}: ${winner?.title} won, the market says ${settled.winner}`);
  if (expected !== settled.total) figures.differing += 1;
  for (const row of rowsOf(store, event.id)) {
    figures.forecasts += 1;
    const holding = row.buckets.find(
      ({ lo, hi }) => lo <= settled.total && (hi === null || settled.total <= hi),
    );
    const sum = row.buckets.reduce((total, { prob }) => total + prob, 0);
    if (Math.abs(sum - 1) > 1e-6) faults.push(`the probabilities of ${row.forecastId} add up to ${sum}`);
    if (holding === undefined || holding.prob <= 0) {
      faults.push(`${row.forecastId} gave the settled count ${settled.total} no chance`);
    }
    figures.logScore -= Math.log(Math.max(holding?.prob ?? 0, 1e-12));
    figures.covered += row.p5 <= settled.total && settled.total <= row.p95 ? 1 : 0;
  }
}

/** Forecasts of events that closed before the service started are scored as well, on the oracle's own totals. */
async function compareScores({ stage, faults, figures }: Round, store: Store): Promise<void> {
  for (const output of store.outputs.latest('scores')) {
    if (output.stream !== 'scores' || output.record.status === 'void') continue;
    const { eventId, final } = output.record;
    const total = await totalOf(stage, trackingId(eventId));
    figures.scores += 1;
    if (final !== total) faults.push(`event ${eventId} was scored on ${final}, the oracle has ${total}`);
  }
}

interface Settled {
  readonly total: number;
  readonly winner: string;
}

const Tracking = z.object({ data: z.object({ stats: z.object({ total: z.int() }) }) });
const ListedEvent = z.object({
  markets: z.array(z.object({ groupItemTitle: z.string(), outcomePrices: z.string() })),
});

/** The oracle's total and the market's winner, as their own interfaces give them. */
async function settlementOf(stage: Stage, event: Tracked): Promise<Settled> {
  const total = await totalOf(stage, trackingId(event.id));
  const { market } = stage.world.addresses;
  const { markets } = ListedEvent.parse(await readJson(`${market}/events/slug/${event.slug}`));
  const winners = markets.filter(({ outcomePrices }) => outcomePrices === '["1", "0"]');
  assert.equal(winners.length, 1, `the market names ${winners.length} winners of ${event.slug}`);
  return { total, winner: winners[0]?.groupItemTitle ?? '' };
}

async function totalOf({ world }: Stage, trackingId: string): Promise<number> {
  const answer = await readJson(`${world.addresses.oracle}/trackings/${trackingId}?includeStats=true`);
  return Tracking.parse(answer).data.stats.total;
}

async function readJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

function latestOf<S extends 'counters' | 'events'>(
  store: Store,
  stream: S,
  eventId: number,
): OutputOf<S>['record'] | undefined {
  const output = store.outputs.latest(stream).find(({ key }) => key === String(eventId));
  return output?.stream === stream ? (output as OutputOf<S>).record : undefined;
}

function* rowsOf(store: Store, eventId: number): Generator<OutputOf<'predictions'>['record']> {
  const stream: StreamName = 'predictions';
  for (const { json } of store.outputs.read(stream, 0)) {
    const output = JSON.parse(json) as OutputOf<'predictions'>;
    if (output.record.eventId === eventId) yield output.record;
  }
}
