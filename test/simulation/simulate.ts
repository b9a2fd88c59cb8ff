import { createHash } from 'node:crypto';
import { SOURCE_SETTINGS } from '../../src/sources/settings.ts';
import { createOverrides } from '../../src/world/control/overrides.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';
import { createTimeline } from '../../src/world/life/timeline.ts';
import { chanceOf } from './chance.ts';
import { createDeliveredPosts } from './delivered-posts.ts';
import { createFaults } from './faults.ts';
import { type FaultKind, faultsEndOf, type Plan } from './plan.ts';
import { type Reader, startReader } from './reader.ts';
import { createShownFrames } from './shown-frames.ts';
import type { DiskFigures } from './simulated-disk.ts';
import { openStage, SERVICE_URL, START_AT, type Stage } from './stage.ts';
import { TIERS, type Tier } from './tier.ts';
import { createVerifiedLog } from './verified-log.ts';
import { createViolations, type Invariant, type Violation } from './violations.ts';

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
const STEP_MS = 60_000;
const FIRST_READER_MS = 30_000;
/** Kills between two verifications, each of which computes what is new in the log again. */
const KILLS_PER_VERIFICATION = 8;
const ACCOUNTS = 2;
const ASK_TIMEOUT_MS = 5_000;

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
    onRead: (life, url, text) => watch.onRead?.(life, url, text),
    onFailure(what, error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      // A start may fail while faults go on. That it does not fail afterwards is checked then.
      if (what.startsWith('a start')) count(`failed start: ${error instanceof Error ? error.message : text}`);
      else violations.check(18, false, () => `${what}: ${text}`);
    },
  });
  const { kernel, disk, network, world, owners } = stage;
  const violations = createViolations(kernel.now);
  const { check } = violations;
  const accounts = accountsOf(seed, ACCOUNTS);
  const { world: size, sources, askEveryMs } = TIERS[tier];
  const timeline = createTimeline({ seed, startAt: START_AT, accounts, overrides: createOverrides(), size });
  const delivered = createDeliveredPosts({
    kernel,
    kept: disk.kept,
    accounts,
    violations,
    pollMs: sources.postsPeriodMs ?? SOURCE_SETTINGS.postsPeriodMs,
  });
  const shown = createShownFrames({
    kept: disk.kept,
    violations,
    onText: (text) => digest.update(text),
  });
  watch.onKept = shown.onKept;
  watch.onRead = (life, url, text) => {
    count('answers read');
    delivered.onRead(life, url, text);
  };
  network.onAccept = ({ client, server }) => {
    if (client.simulatedOwner === owners.reader) shown.watch(server);
    if (client.simulatedOwner === owners.asker) shown.watchAnswers(server);
  };
  let kills = 0;
  let isVerificationDue = false;
  const faults = createFaults(stage, () => {
    kills += 1;
    if (kills % KILLS_PER_VERIFICATION === 1) isVerificationDue = true;
    shown.checkKept();
  });

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
        random: chanceOf(seed, 'reader'),
        onFrame: ({ channel, type }) => count(`reader ${channel} ${type}`),
        onEvent: ({ type }) => count(`reader told of ${type}`),
        onEnd: (error) => check(18, false, () => `the feed of a reader ended: ${error}`),
      });
    },
    owners.reader,
  );
  kernel.as(owners.asker, () => startAsking(askEveryMs, () => count('answers to who asks')));
  for (const fault of plan) kernel.schedule(fault.at, () => faults.begin(fault), owners.world);
  stage.start();

  /** Everything that has to be right while faults go on too. */
  async function look(): Promise<void> {
    delivered.checkNotAbove();
    if (isVerificationDue) await verifyStore();
  }

  async function pass(ms: number): Promise<void> {
    const end = kernel.now() + ms;
    while (kernel.now() < end) {
      await kernel.run(Math.min(STEP_MS, end - kernel.now()), faults.before);
      await look();
    }
  }

  async function checkWhole(): Promise<void> {
    check(18, stage.service !== undefined, () => 'the service does not run');
    const status = reader?.status();
    check(18, status?.state === 'live', () => `the reader is ${JSON.stringify(status)}`);
    delivered.checkExact(stage.life, (id) => timeline.find(id, stage.trueNow()) === undefined);
    shown.checkKept();
    shown.checkResumable(stage.trueNow());
    await verifyStore();
  }

  try {
    const end = hours * HOUR_MS;
    for (let hour = 0; hour < hours; hour++) {
      const hourEnd = Math.min(end, (hour + 1) * HOUR_MS);
      await pass(faultsEndOf(hour, hours) - kernel.now());
      faults.endAll();
      await pass(hourEnd - kernel.now());
      await checkWhole();
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

/** Asks for the newest posts again and again, each time those of another account. */
function startAsking(everyMs: number, onAnswer: () => void): void {
  const segments = ['account_a', 'account_b'];
  let asked = 0;
  setInterval(() => {
    const url = `${SERVICE_URL}/api/v1/meta/${segments[asked++ % segments.length]}/tweets?limit=3`;
    const headers = { 'X-API-Key': 'demo_internal' };
    fetch(url, { headers, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
      .then((answer) => answer.text())
      // There is no service for a while after a kill.
      .then(onAnswer, () => undefined);
  }, everyMs);
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
