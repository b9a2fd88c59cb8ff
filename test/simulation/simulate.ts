import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { FeedEvent } from '../../src/client/exports.ts';
import { isRefusedWrite } from '../../src/errors.ts';
import { SOURCE_SETTINGS } from '../../src/sources/settings.ts';
import { createOverrides } from '../../src/world/control/overrides.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';
import { createTimeline } from '../../src/world/life/timeline.ts';
import { hex } from '../../src/world/rng.ts';
import { type Answer, ask, startAsking } from './askers.ts';
import { startBuyer } from './buyer.ts';
import { chanceOf } from './chance.ts';
import { startClaimant } from './claimant.ts';
import { createClaimedPlaces } from './claimed-places.ts';
import { createContentChecks } from './content-checks.ts';
import { createDeliveredPosts } from './delivered-posts.ts';
import { createFaults } from './faults.ts';
import { checkNoticed } from './noticed-deletions.ts';
import { createPaidAnswers } from './paid-answers.ts';
import { createBadHours, type FaultKind, faultsEndOf, type Plan } from './plan.ts';
import { type Reader, startReader } from './reader.ts';
import { settled } from './settled.ts';
import { createShownFrames } from './shown-frames.ts';
import type { DiskFigures } from './simulated-disk.ts';
import { openStage, SERVICE_URL, START_AT, type Stage } from './stage.ts';
import { createStorm } from './storm.ts';
import { followingMs, type Pace, shownMs, TIERS, type Tier } from './tier.ts';
import { createVerifiedLog } from './verified-log.ts';
import { createViolations, type Invariant, type Violation } from './violations.ts';
import { createWorldWindows } from './world-windows.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly hours: number;
  readonly tier: Tier;
  readonly plan: Plan;
  readonly report: (line: string) => void;
}

export interface SimulationResult {
  readonly violations: readonly Violation[];
  readonly checked: ReadonlyMap<Invariant, number>;
  readonly fired: ReadonlyMap<FaultKind, number>;
  /** What happened besides, by name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly disk: DiskFigures;
  readonly virtualMs: number;
  /** Over everything that was logged, computed and sent to a reader. */
  readonly digest: string;
}

const HOUR_MS = 3_600_000;
/** Between two looks at what has to hold always. */
const LOOK_MS = 60_000;
const CALM_LOOK_MS = 1_800_000;
/** Of hours without faults, that everything is compared after. */
const CALM_HOURS_PER_CHECK = 4;
/** How long no engine runs when its pace changes. */
const PACE_CHANGE_MS = 1_000;
const FIRST_READER_MS = 30_000;
/** Kills between two verifications, each of which computes what is new in the log again. */
const KILLS_PER_VERIFICATION = 8;
const ACCOUNTS = 2;
/** Once faults are over, a payment that was settled is answered within this time. */
const ANSWERED_WITHIN_MS = 300_000;
/** Every event is forecast once a minute, or with each tick if they are further apart. A worker that is silent is given up after a minute, too. */
const FORECAST_WITHIN_MS = 180_000;
/** What a reader is told only when frames are missing that it could have been sent. */
const FRAMES_MISSING: readonly string[] = ['gap', 'epoch', 'cursor_too_old'] satisfies FeedEvent['type'][];

const logged = z.array(z.object({ fact: z.object({ kind: z.string() }) }));
/** What a reader of the feed holds is compared with these answers. */
const HELD_PATHS = [
  ...['account_a', 'account_b'].flatMap((account) => [
    `/api/v1/meta/${account}`,
    `/api/v1/meta/${account}/tweets?limit=15`,
    `/api/v1/meta/${account}/lag`,
    `/api/v1/prediction/${account}`,
    `/api/v1/signals/${account}`,
  ]),
  '/api/v1/meta/crypto',
];
/** What a reader holds is compared so long before the end of an hour, besides the time in which frames follow. */
const HELD_BEFORE_END_MS = 10_000;

/**
 * Runs the whole service in virtual time, with the faults of a plan, and checks what must hold. Takes over the globals of
 * the process, so that nothing else can run in it meanwhile. The same options give the same digest.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, hours, tier, plan, report } = options;
  const digest = createHash('sha256');
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const watch = createWatch();
  const stage = await openStage({
    seed,
    tier,
    onKept(part, method, args) {
      watch.onKept?.(part, method, args);
      if (method === 'append' && (part === 'journal' || part === 'outputs'))
        digest.update(JSON.stringify(args));
    },
    onLog: (level, message) => count(`log ${level}: ${message}`),
    onRead: (life, url, text, asked) => watch.onRead?.(life, url, text, asked),
    onFailure(what, error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      // A start may fail while the world fails. That it does not fail afterwards is checked then.
      if (what.startsWith('a start') && !isRefusedWrite(error))
        count(`failed start: ${error instanceof Error ? error.message : text}`);
      else violations.check(18, false, () => `${what}: ${text}`);
    },
  });
  const { kernel, disk, network, world, owners } = stage;
  const violations = createViolations(kernel.now);
  const { check } = violations;
  const accounts = accountsOf(seed, ACCOUNTS);
  const { world: size, flags, pace, calmPace, badSlowness, calmSlowness } = TIERS[tier];
  const timeline = createTimeline({ seed, startAt: START_AT, accounts, overrides: createOverrides(), size });
  const windowsAt = createWorldWindows({ seed, accounts, size, historyDays: Number(flags.historyDays) });
  const delivered = createDeliveredPosts({
    kernel,
    kept: disk.kept,
    accounts,
    violations,
    calendar: stage.calendar,
    pollMs: () => stage.pace.sources.postsPeriodMs ?? SOURCE_SETTINGS.postsPeriodMs,
  });
  const shown = createShownFrames({ kept: disk.kept, violations });
  const content = createContentChecks({ stage, accounts, violations });
  let forecastAt = 0;
  const paid = createPaidAnswers({
    kept: disk.kept,
    transfers: world.transfers,
    now: kernel.now,
    violations,
  });
  const places = createClaimedPlaces({ kept: disk.kept, violations });
  watch.onKept = (part, method, args) => {
    shown.onKept(part, method, args);
    content.onKept(part, method, args);
    paid.onKept(part, method, args);
    faults.onKept(part, method, args);
    if (part !== 'journal' || method !== 'append') return;
    if (logged.parse(args[0]).some(({ fact }) => fact.kind === 'forecast')) forecastAt = kernel.now();
  };
  watch.onRead = (life, url, text, asked) => {
    count('answers read');
    delivered.onRead(life, url, text);
    content.onRead(url, text, asked);
  };
  const storm = createStorm({
    kernel,
    network,
    seed,
    startReader: (readerTier, random) =>
      startReader({
        url: SERVICE_URL,
        tier: readerTier,
        random,
        onFrame: () => count('frames read in storms'),
        onEvent: () => undefined,
        // There may be too many of them.
        onEnd: () => count('readers refused in storms'),
      }),
  });
  const { hostname: worldHost } = new URL(world.url);
  network.onAccept = ({ client, server }) => {
    const { simulatedOwner: owner } = client;
    const readerTier = owner === owners.reader ? 'INTERNAL' : storm.tierOf(owner);
    if (readerTier !== undefined)
      shown.watch(server, (text) => {
        digest.update(text);
        content.onFrame(text, readerTier === 'FREE');
      });
    if (owner === owners.asker) shown.watchAnswers(server);
  };
  network.onConnect = (client, host) => {
    if (host === worldHost) content.watchSource(client);
  };
  let calmSince = 0;
  let kills = 0;
  let isVerificationDue = false;
  function onKill(): void {
    kills += 1;
    if (kills % KILLS_PER_VERIFICATION === 1) isVerificationDue = true;
    shown.checkKept();
    content.onKill();
  }
  const faults = createFaults(stage, { storm, onKill });

  /** Lets an engine of another pace go on. */
  function changePace(next: Pace): void {
    if (next === stage.pace) return;
    stage.kill();
    onKill();
    stage.setPace(next);
    kernel.schedule(PACE_CHANGE_MS, stage.start, owners.world);
  }

  const { verifyNew, verifyAll } = createVerifiedLog(disk.kept);
  async function verifyStore(verifyLog = verifyNew): Promise<void> {
    isVerificationDue = false;
    const difference = await verifyLog();
    check(4, difference === null, () => JSON.stringify(difference).slice(0, 1_000));
  }

  let reader: Reader | undefined;
  kernel.schedule(
    FIRST_READER_MS,
    () => {
      reader = startReader({
        url: SERVICE_URL,
        tier: 'INTERNAL',
        random: chanceOf(seed, 'reader'),
        onFrame(frame) {
          count(`reader ${frame.channel} ${frame.type}`);
          content.onReaderFrame(frame);
        },
        onEvent(event) {
          count(`reader told of ${event.type}`);
          check(8, !FRAMES_MISSING.includes(event.type), () => `a reader is told ${JSON.stringify(event)}`);
        },
        onEnd: (error) => check(18, false, () => `the feed of a reader ended: ${error}`),
      });
    },
    owners.reader,
  );
  const isBadHour = createBadHours(plan);
  const isCalm = () => !isBadHour(Math.floor(kernel.now() / HOUR_MS));
  const isCheckedAfter = (hour: number) =>
    isBadHour(hour) || isBadHour(hour + 1) || (hour + 1) % CALM_HOURS_PER_CHECK === 0 || hour + 1 >= hours;
  const slowness = () => (isCalm() ? calmSlowness : badSlowness);
  const asking = {
    url: SERVICE_URL,
    now: kernel.now,
    everyMs: () => stage.pace.askEveryMs,
    onAnswer(answer: Answer) {
      count(`answers ${answer.status} to ${answer.tier}`);
      content.onAnswer(answer);
    },
  };
  kernel.as(owners.asker, () => startAsking(asking));
  kernel.as({ name: 'claimant' }, () =>
    startClaimant({ url: SERVICE_URL, random: chanceOf(seed, 'claimant'), places, slowness }),
  );
  let made = 0;
  kernel.as({ name: 'buyer' }, () =>
    startBuyer({
      url: () => SERVICE_URL,
      random: chanceOf(seed, 'buyer'),
      hexOf: (bytes) => `0x${hex(bytes * 2, seed, 'buyer', ++made)}`,
      now: stage.trueNow,
      answers: paid,
      slowness,
      onAnswer: (what) => count(`buyer: ${what}`),
    }),
  );
  for (const fault of plan) kernel.schedule(fault.at, () => faults.begin(fault), owners.world);
  stage.start();

  /** Everything that has to be right while faults go on too. */
  async function look(): Promise<void> {
    delivered.checkNotAbove();
    content.look();
    paid.check();
    places.check();
    if (isVerificationDue) await verifyStore();
  }

  async function pass(ms: number): Promise<void> {
    const end = kernel.now() + ms;
    const stepMs = isCalm() ? CALM_LOOK_MS : LOOK_MS;
    while (kernel.now() < end && violations.found.length === 0) {
      await kernel.run(Math.min(stepMs, end - kernel.now()), faults.before);
      await look();
    }
  }

  async function checkHeld(): Promise<void> {
    if (reader?.status()?.state !== 'live') return;
    const asked = kernel.as(owners.asker, () => HELD_PATHS.map((path) => ask(asking, path, 'INTERNAL')));
    const answers = await settled(kernel, Promise.all(asked));
    await kernel.run(followingMs(stage.pace), faults.before);
    content.checkHeld(answers);
  }

  async function checkWhole(calmMs: number): Promise<void> {
    const sinceForecastMs = kernel.now() - forecastAt;
    check(
      18,
      Math.min(sinceForecastMs, calmMs) <= Math.max(FORECAST_WITHIN_MS, 2 * stage.pace.tickMs),
      () => `the last forecast was made ${Math.round(sinceForecastMs)} ms ago`,
    );
    check(18, stage.service !== undefined, () => 'the service does not run');
    const status = reader?.status();
    check(18, status?.state === 'live', () => `the reader is ${JSON.stringify(status)}`);
    const isGone = (id: string) => faults.isDeleted(id) ?? timeline.find(id, stage.trueNow()) === undefined;
    delivered.checkExact(stage.life, windowsAt(stage.trueNow()), isGone);
    const periodMs = stage.pace.sources.deletionsPeriodMs ?? SOURCE_SETTINGS.deletionsPeriodMs;
    checkNoticed(faults.deleted, { kept: disk.kept, violations, now: kernel.now(), calmSince, periodMs });
    shown.checkKept();
    shown.checkResumable(stage.trueNow());
    paid.checkServed(ANSWERED_WITHIN_MS);
    await verifyStore();
  }

  try {
    const end = hours * HOUR_MS;
    for (let hour = 0; hour < hours; hour++) {
      changePace(isBadHour(hour) ? pace : calmPace);
      const hourEnd = Math.min(end, (hour + 1) * HOUR_MS);
      if (isBadHour(hour)) await pass(faultsEndOf(hour, hours) - kernel.now());
      faults.endAll();
      if (isBadHour(hour)) calmSince = kernel.now();
      const calmMs = hourEnd - kernel.now();
      await pass(calmMs - HELD_BEFORE_END_MS - followingMs(stage.pace) - stage.pace.tickMs);
      // Just after a tick: an answer has every change at once, and a frame may join those up to the next tick.
      await pass(stage.pace.tickMs - (kernel.now() % stage.pace.tickMs) + shownMs(stage.pace));
      if (isBadHour(hour) && violations.found.length === 0) await checkHeld();
      await pass(hourEnd - kernel.now());
      if (isCheckedAfter(hour) && violations.found.length === 0) await checkWhole(calmMs);
      report(progressOf(stage, violations.found.length, kills, end));
      if (violations.found.length > 0) break;
    }
    if (violations.found.length === 0) await verifyStore(verifyAll);
  } finally {
    stage.close();
    await world.close();
  }
  return {
    violations: violations.found,
    checked: violations.checked,
    fired: faults.fired,
    figures: {
      ...Object.fromEntries([...counts].sort()),
      'virtual events': kernel.events,
      lives: stage.lives,
      kills,
    },
    disk: disk.figures,
    virtualMs: kernel.now(),
    digest: digest.digest('hex'),
  };
}

type StageWatch = Parameters<typeof openStage>[0];

/** What is known only once the stage is there. */
function createWatch(): { onKept?: StageWatch['onKept']; onRead?: StageWatch['onRead'] } {
  return {};
}

function progressOf({ kernel, disk }: Stage, violations: number, kills: number, end: number): string {
  const hours = (kernel.now() / HOUR_MS).toFixed(2);
  const cpu = process.cpuUsage();
  const cpuSeconds = Math.round((cpu.user + cpu.system) / 1e6);
  return `${hours} h of ${(end / HOUR_MS).toFixed(2)} h: ${kernel.events} events, log at ${disk.kept.journal.head}, ${kills} kills, ${violations} violations, ${cpuSeconds} s of CPU`;
}
