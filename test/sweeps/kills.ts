import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { verify } from '../../src/research/verify.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createRng } from '../../src/world/rng.ts';
import { readMeta, readTweets, steer } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';

export interface KillSweep {
  readonly kills: number;
  /** Decides when each kill falls. */
  readonly seed: number;
  /** Every so many kills the data is copied and a second process verifies the copy. */
  readonly copyEvery: number;
  /** With two weeks and more the kills also fall into fits and the forecasts of the past. */
  readonly historyDays: number;
  readonly report: (line: string) => void;
}

/** What readers were shown: none of it may be gone after a kill. */
interface Shown {
  readonly posts: Set<string>;
  seq: number;
}

/** The first kills fall into the reading of a short history, the others into ordinary life. */
const KILLS_IN_HISTORY = 5;
const SHORT_HISTORY_DAYS = 3;
/** Long enough, when there is something to fit, for the first answers. */
const LONGEST_LIFE_MS = 900;
const LONGEST_FITTING_LIFE_MS = 15_000;
/** Few, as the folder is verified after every kill. */
const SIMULATIONS = 10;

/**
 * Kills an engine again and again at random instants while its world is posting and readers read. After
 * each kill everything any reader was ever shown must be in the data folder, and the folder must verify.
 */
export async function sweepKills(sweep: KillSweep): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-kills-'));
  const random = createRng(sweep.seed).next;
  sweep.report(`seed ${sweep.seed}`);
  const world = runProgram(['world', '--port', '0', '--seed', '5', '--json']);
  const shown: Shown = { posts: new Set(), seq: 0 };
  try {
    const worldUrl = await world.url;
    for (let kill = 1; kill <= sweep.kills; kill++) {
      const engine = startEngine(join(folder, 'data'), worldUrl, sweep.historyDays);
      const isShort = sweep.historyDays <= SHORT_HISTORY_DAYS;
      if (isShort && kill === KILLS_IN_HISTORY + 1) await untilCovered(engine);
      const longestMs = isShort ? LONGEST_LIFE_MS : LONGEST_FITTING_LIFE_MS;
      await runAndKill(engine, worldUrl, shown, random() * longestMs);
      const answered = await check(join(folder, 'data'), shown);
      if (kill % sweep.copyEvery === 0) await checkCopy(folder);
      sweep.report(
        `kill ${kill} of ${sweep.kills}: ${shown.posts.size} posts and seq ${shown.seq} shown, all kept; ${answered}`,
      );
    }
  } finally {
    await world.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

function startEngine(data: string, worldUrl: string, historyDays: number): Program {
  const flags = ['--port', '0', '--data', data, '--world', worldUrl, '--checkpoint-seconds', '1'];
  return runProgram([
    'start',
    '--json',
    '--log-level',
    'error',
    '--history-days',
    String(historyDays),
    ...flags,
  ]);
}

async function untilCovered(engine: Program): Promise<void> {
  const url = await engine.url;
  const isCovered = async () => {
    const { data } = await readMeta(url, 'account_a');
    return data.some((event) => event.real_counter !== null);
  };
  await eventually('an event is counted', isCovered);
}

async function runAndKill(engine: Program, worldUrl: string, shown: Shown, lifeMs: number): Promise<void> {
  const dying = new AbortController();
  const posting = keepPosting(worldUrl, dying.signal);
  const reading = engine.url.then(
    (url) => keepReading(url, shown, dying.signal),
    () => undefined,
  );
  await Promise.race([engine.url, engine.ended]);
  await delay(lifeMs);
  await engine.kill('SIGKILL');
  dying.abort();
  await Promise.all([posting, reading]);
}

async function keepPosting(worldUrl: string, signal: AbortSignal): Promise<void> {
  const kinds = ['original', 'quote', 'repost', 'selfReply', 'reply'];
  for (let posted = 0; !signal.aborted; posted++) {
    const account = posted % 3 === 0 ? 'b' : 'a';
    await steer(worldUrl, 'post', { account, kind: kinds[posted % kinds.length] });
    await delay(60);
  }
}

async function keepReading(url: string, shown: Shown, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const account of ['account_a', 'account_b']) {
        const tweets = await readTweets(url, account, 100);
        const meta = await readMeta(url, account);
        for (const { tweet_id } of tweets.data) shown.posts.add(tweet_id);
        for (const { as_of } of [...tweets.data, ...meta.data]) shown.seq = Math.max(shown.seq, as_of.seq);
      }
    } catch (error) {
      // The engine dies while it is being read: that is what the sweep is about.
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    }
    await delay(5);
  }
}

/** Tells how many answers of the model the log holds. */
async function check(data: string, shown: Shown): Promise<string> {
  const store = await openStore(data, { readOnly: true });
  try {
    assert.ok(
      store.journal.head >= shown.seq,
      `seq ${shown.seq} was shown, the log ends at ${store.journal.head}`,
    );
    const kept = new Set(store.outputs.latest('posts').map(({ key }) => key));
    for (const id of shown.posts) assert.ok(kept.has(id), `post ${id} was shown and is gone`);
    const { difference } = await verify(store, { simulations: SIMULATIONS });
    assert.equal(difference, null);
    const kinds = Array.from(store.journal.read(store.journal.tail), ({ fact }) => fact.kind);
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    return `${count('fit')} fits, ${count('forecast')} forecasts`;
  } finally {
    await store.close();
  }
}

async function checkCopy(folder: string): Promise<void> {
  const copy = join(folder, 'copy');
  await cp(join(folder, 'data', 'db'), join(copy, 'db'), { recursive: true });
  const { code, stdout } = await runProgram(['replay', '--data', copy, '--verify']).ended;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^identical/m);
  await rm(copy, { recursive: true });
}
