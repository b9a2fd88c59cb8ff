import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { reportFailure } from '../../src/cli/failure.ts';
import { decodeMember } from '../../src/cluster/entries/member.ts';
import type { ServiceError } from '../../src/errors.ts';
import { verify } from '../../src/research/verify.ts';
import type { KeptPayment, Store } from '../../src/store/store.ts';
import { createOverrides } from '../../src/world/control/overrides.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';
import { createTimeline } from '../../src/world/life/timeline.ts';
import { hex } from '../../src/world/rng.ts';
import { USUAL_SIZE } from '../../src/world/size.ts';
import { startBuyer } from './buyer.ts';
import { chanceOf } from './chance.ts';
import { startClaiming, startLimitedCaller } from './cluster-callers.ts';
import { createClusterFaults } from './cluster-faults.ts';
import type { ClusterInvariant, ClusterViolation } from './cluster-invariants.ts';
import { startKeys } from './cluster-keys.ts';
import { CALM_MS, type ClusterFaultKind, type ClusterPlan, ROUND_MS } from './cluster-plan.ts';
import {
  type ClusterStage,
  type ClusterStageOptions,
  HISTORY_DAYS,
  openClusterStage,
} from './cluster-stage.ts';
import { createDeliveredPosts } from './delivered-posts.ts';
import { startHopping } from './hopping-reader.ts';
import type { Owner } from './kernel.ts';
import { createPaidAnswers } from './paid-answers.ts';
import { settled } from './settled.ts';
import { createSharedLog } from './shared-log.ts';
import type { SimulatedMember } from './simulated-member.ts';
import { START_AT } from './stage.ts';
import { createViolations } from './violations.ts';
import { createWorldWindows } from './world-windows.ts';

interface ClusterOptions {
  readonly seed: number;
  readonly hours: number;
  readonly plan: ClusterPlan;
  readonly report: (line: string) => void;
  /** Told of faults, and of what processes tell their operators. */
  readonly trace?: (line: string) => void;
}

export interface ClusterResult {
  readonly violations: readonly ClusterViolation[];
  readonly checked: ReadonlyMap<ClusterInvariant, number>;
  readonly fired: ReadonlyMap<ClusterFaultKind, number>;
  /** What happened besides, by name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly virtualMs: number;
  /** Over everything that was logged and computed anywhere, and sent to a reader. */
  readonly digest: string;
}

const HOUR_MS = 3_600_000;
const STEP_MS = 5_000;
const ACCOUNTS = 2;
/** An edge or a standby is up after so long. */
const FIRST_READERS_MS = 20_000;
const LONGEST_STAY_MS = 20_000;
/** Of a caller without a key, in an hour. */
const FREE_LIMIT = 100;
/** A standby logs within 3 s of the end of the leader; then its sources and the disk need a moment. */
const LONGEST_SILENCE_MS = 5_000;
/** A fault has an effect for so long after it is over. */
const AFTER_EFFECT_MS = 20_000;
/** What came to the bus within this time need not be everywhere. */
const UNDER_WAY_MS = 3_000;
const EXIT_TRY_AGAIN = 75;
/** A lease that is lost with the bus is believed in for so long, and so is an answer under way. */
const LEASE_MS = 2_000;
/** What was paid so long ago is answered. */
const ANSWERED_WITHIN_MS = 300_000;
const ROUNDS_PER_VERIFICATION = 5;
const PATHS = [
  '/api/v1/accounts',
  '/api/v1/meta/account_a',
  '/api/v1/meta/account_a/tweets',
  '/api/v1/meta/account_b/tweets',
  '/api/v1/prediction/account_b',
] as const;

/**
 * Runs two engines and two edges on a simulated bus in virtual time, with the faults of a plan, and checks what must hold.
 * Takes over the globals of the process, so that nothing else can run in it meanwhile. The same options give the same digest.
 */
export async function simulateCluster(options: ClusterOptions): Promise<ClusterResult> {
  const { seed, hours, plan, report, trace = () => undefined } = options;
  const digest = createHash('sha256');
  const counts = new Map<string, number>();
  const count = (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);
  const watch = createWatch();
  /** Which life has written in each term. */
  const writers = new Map<string, Owner>();
  let lastLogAt = 0;
  let wipedAt = Number.NEGATIVE_INFINITY;
  let longestSilenceMs = 0;

  const seconds = () => (stage.kernel.now() / 1_000).toFixed(3);
  const stage: ClusterStage = await openClusterStage({
    seed,
    onKept(member, part, method, args) {
      if (method === 'append' && (part === 'journal' || part === 'outputs'))
        digest.update(member).update(JSON.stringify(args));
    },
    onLog(member, level, message, fields) {
      const error = 'err' in fields ? fields.err : undefined;
      const reason = error instanceof Error && level === 'error' ? ` (${error.message})` : '';
      count(`log of ${member.split(' ')[0]}, ${level}: ${message}${reason}`);
      trace(`${seconds()} ${member}, ${level}: ${message} ${error === undefined ? '' : error}`);
      if (message === REQUEST_FAILED) check(26, false, () => `at ${member}: ${textOf(error)}`);
    },
    onAsk: (asker) => watch.onAsk?.(asker),
    onRead: (life, url, text) => watch.onRead?.(life, url, text),
    onPublish: (...published) => watch.onPublish?.(...published),
    onFailedStart: (member, error) =>
      count(`failed start of ${member}: ${error instanceof Error ? error.message : error}`),
    onEnd: (member, end) => watch.onEnd?.(member, end),
    onForced: (member) => watch.onForced?.(member),
    onFailure: (error) => check(18, false, () => `nobody handled a failure: ${textOf(error)}`),
  });
  const { kernel, bus, owners, world, engines, edges, members } = stage;
  const violations = createViolations<ClusterInvariant>(kernel.now);
  const { check } = violations;
  const storeOf = (engine: SimulatedMember): Store => engine.folders.storeIn(engine.data).kept;
  const leading = () => stage.leader() ?? engines[0];
  const accounts = accountsOf(seed, ACCOUNTS);
  const timeline = createTimeline({ seed, startAt: START_AT, accounts, overrides: createOverrides() });
  const windowsAt = createWorldWindows({ seed, accounts, size: USUAL_SIZE, historyDays: HISTORY_DAYS });
  const delivered = createDeliveredPosts({
    kernel,
    kept: {
      get outputs() {
        return storeOf(leading()).outputs;
      },
    },
    accounts,
    violations,
  });
  const log = createSharedLog({ bus, stream: 'shard_main', violations });
  const engineStores = () => new Map(engines.map((engine) => [engine.name, storeOf(engine)]));

  watch.onRead = (life, url, text) => {
    count('answers read');
    delivered.onRead(life, url, text);
  };
  watch.onAsk = (asker) => {
    const engine = engines.find(({ life }) => life === asker);
    if (engine === undefined) {
      count(`asked by ${asker.name}`);
      return;
    }
    const leader = stage.leader();
    if (kernel.now() - wipedAt < LEASE_MS) return;
    check(19, leader === engine, () => `${asker.name} asks, and ${leader?.name ?? 'nobody'} leads`);
  };
  watch.onPublish = (life, subject, id, place) => {
    const [epoch = '', number = ''] = id.split(':');
    const term = `${number} of ${epoch}`;
    const writer = writers.get(term) ?? life;
    writers.set(term, writer);
    check(20, writer === life, () => `${life.name} writes in term ${term} of ${writer.name}`);
    if (place === undefined || subject !== 'log') return;
    const silenceMs = kernel.now() - lastLogAt;
    longestSilenceMs = Math.max(longestSilenceMs, silenceMs);
    if (silenceMs > LONGEST_SILENCE_MS) trace(`${seconds()} the log was silent for ${silenceMs} ms`);
    lastLogAt = kernel.now();
  };
  watch.onEnd = (member, end) => {
    const code = exitCodeOf(end);
    count(`${member.role} ended with ${code}, ${end.code}`);
    check(
      22,
      code === EXIT_TRY_AGAIN,
      () => `${member.name} ended with ${code}: ${end.code}, ${end.message}`,
    );
  };
  watch.onForced = (member) => {
    count(`${member.role} ended by force`);
    const isDisturbed = (calmSince() ?? Number.POSITIVE_INFINITY) > kernel.now();
    check(22, isDisturbed, () => `${member.name} did not stop`);
  };

  let kills = 0;
  const faults = createClusterFaults(stage, {
    onKill() {
      kills += 1;
    },
    onWipe() {
      wipedAt = kernel.now();
      const stores = [...engineStores().values()];
      log.onWipe(stores.map(({ journal }) => journal.head));
      // What only one engine has may be lost with the bus.
      for (const [topic, { seq }] of shown)
        if (
          !stores.every(({ feed }) => feed.topics().some((each) => each.topic === topic && each.seq >= seq))
        )
          shown.delete(topic);
      for (const name of claims.keys())
        if (!stores.every(({ waitlist }) => [...waitlist.list()].some((entry) => entry.name === name))) {
          claims.delete(name);
          registered.delete(name);
        }
    },
    onLeaderGone(leader, quietSince) {
      const goneAt = kernel.now();
      const { begun } = faults;
      const isUsual = quietSince !== undefined && goneAt - quietSince >= AFTER_EFFECT_MS;
      const isReady = engines.every((engine) => engine.service !== undefined);
      if (!isUsual || !isReady) return;
      kernel.schedule(
        LONGEST_SILENCE_MS,
        () => {
          if (faults.begun === begun)
            check(25, lastLogAt > goneAt, () => `nothing was logged since ${leader.name} was gone`);
        },
        owners.world,
      );
    },
  });
  const calmSince = () => (faults.quietSince === undefined ? undefined : faults.quietSince + AFTER_EFFECT_MS);

  /** The content of each frame that a reader took, by epoch, topic and number. */
  const contents = new Map<string, string>();
  /** The last number of each topic that a reader took, and when. */
  const shown = new Map<string, { readonly seq: number; readonly at: number }>();
  const claims = new Map<string, { readonly position: number; readonly at: number }>();
  const registered = new Set<string>();
  let limited: ReturnType<typeof startLimitedCaller> | undefined;
  const edgeUrls = [edges[0].url, edges[1].url] as const;
  const urls = [...edgeUrls, ...edgeUrls, engines[0].url, engines[1].url] as const;
  const callers = (link: string) => ({ urls, random: chanceOf(seed, link), count });

  function startReading(n: number): void {
    startHopping({
      urls,
      random: chanceOf(seed, `reader ${n}`),
      longestStayMs: LONGEST_STAY_MS,
      onFrame(place, content) {
        count('frames read');
        digest.update(place).update(content);
        const hash = createHash('sha1').update(content).digest('base64');
        const before = contents.get(place);
        check(
          7,
          before === undefined || before === hash,
          () => `${place} had another content: ${content.slice(0, 300)}`,
        );
        contents.set(place, hash);
        const [, topic = '', number = ''] = place.split(' ');
        const seq = Number(number);
        if (seq > (shown.get(topic)?.seq ?? 0)) shown.set(topic, { seq, at: kernel.now() });
      },
      onGap: (message) => check(8, false, () => message),
      onReset(topic, url, isOfNewEpoch) {
        count('snapshots instead of frames');
        const isDisturbed = (calmSince() ?? Number.POSITIVE_INFINITY) > kernel.now();
        const isExpected = isOfNewEpoch && wipedAt >= 0;
        check(8, isDisturbed || isExpected, () => `a snapshot of ${topic} came at ${url}`);
      },
      onHop(frames, _url, why) {
        count(`hops: ${why}`);
        check(8, true, () => '');
        if (frames > 0) count('hops with frames');
      },
    });
  }

  kernel.schedule(FIRST_READERS_MS, () => [1, 2].forEach(startReading), owners.reader);
  kernel.schedule(
    FIRST_READERS_MS,
    () => {
      limited = startLimitedCaller(callers('limited caller'));
      startClaiming(callers('claims'), (name, position, isNew) => {
        const before = claims.get(name);
        check(
          5,
          before === undefined || before.position === position,
          () => `${name} had place ${before?.position}, and has ${position}`,
        );
        check(5, !isNew || !registered.has(name), () => `${name} was registered twice`);
        if (isNew) registered.add(name);
        claims.set(name, before ?? { position, at: kernel.now() });
      });
      startKeys({
        ...callers('keys'),
        now: kernel.now,
        command: (command) => leading().command(command),
        calmSince,
        violations,
      });
    },
    owners.asker,
  );
  const paid = createPaidAnswers({
    kept: {
      payments: { find: (id) => furthest(engines.map((engine) => storeOf(engine).payments.find(id))) },
    },
    transfers: world.transfers,
    now: kernel.now,
    violations,
  });
  const buying = chanceOf(seed, 'buyer');
  const edgeOf = chanceOf(seed, 'edges of the buyer');
  let made = 0;
  kernel.as({ name: 'buyer' }, () =>
    startBuyer({
      url: () => (edgeOf() < 0.5 ? edges[0].url : edges[1].url),
      random: buying,
      hexOf: (bytes) => `0x${hex(bytes * 2, seed, 'buyer', ++made)}`,
      now: stage.trueNow,
      answers: paid,
      onAnswer: (what) => count(`buyer: ${what}`),
    }),
  );
  for (const fault of plan)
    kernel.schedule(
      fault.at,
      () => {
        trace(`${seconds()} ${JSON.stringify(fault)}; ${stage.leader()?.name} leads`);
        faults.begin(fault);
      },
      owners.world,
    );
  for (const member of members) member.start();

  /** Everything that has to be right while faults go on too. */
  function look(): void {
    log.check(engineStores());
    delivered.checkNotAbove();
    paid.check();
  }

  async function pass(ms: number): Promise<void> {
    const end = kernel.now() + ms;
    while (kernel.now() < end && violations.found.length === 0) {
      await kernel.run(Math.min(STEP_MS, end - kernel.now()), faults.before);
      look();
    }
  }

  async function ask(member: SimulatedMember, path: string): Promise<Answer> {
    const headers = { 'X-API-Key': 'demo_internal' };
    const answer = await fetch(member.url + path, { headers, signal: AbortSignal.timeout(5_000) });
    return { status: answer.status, tag: answer.headers.get('etag'), body: await answer.text() };
  }

  /** Undefined where there was no answer. */
  function askNow(member: SimulatedMember, path: string): Promise<Answer | undefined> {
    return kernel.as(owners.asker, () => ask(member, path).catch(() => undefined));
  }

  /** What edges know changes now and then, so that it is compared again until they know the same. */
  async function compareEdges(path: string): Promise<void> {
    let last = '';
    for (let attempt = 0; attempt < 100; attempt++) {
      const both = Promise.all(edges.map((edge) => askNow(edge, path)));
      const [first, second] = await settled(kernel, both);
      last = `${first?.status} ${first?.tag} and ${second?.status} ${second?.tag}`;
      if (first?.status === 200 && first.tag !== null && first.tag === second?.tag) {
        check(23, sayingOf(first) === sayingOf(second), () => `${path}: ${first.body} and ${second.body}`);
        return;
      }
      await kernel.run(100);
    }
    check(23, false, () => `${path} has ${last}`);
  }

  async function checkWhole(round: number): Promise<void> {
    const told = toldBy(stage);
    const leader = stage.leader();
    check(18, leader !== undefined, () => 'nobody leads');
    for (const member of members)
      check(18, member.service !== undefined, () => `${member.name} does not run`);
    for (const engine of engines) {
      const state = told.get(engine.member);
      const expected = engine === leader ? 'leader' : 'standby';
      check(
        18,
        state?.state === expected,
        () => `${engine.name} says it is ${state?.state}, not ${expected}`,
      );
      check(18, state?.alarm === null, () => `${engine.name} has an alarm: ${state?.alarm}`);
    }
    for (const member of [...edges, ...engines]) {
      const ready = await settled(kernel, askNow(member, '/readyz'));
      const expected = member.role === 'edge' || member === leader ? 200 : 503;
      check(
        18,
        ready?.status === expected,
        () => `${member.name} answers ${JSON.stringify(ready)} when asked whether it is ready`,
      );
    }
    for (const path of PATHS) await compareEdges(path);
    log.onMended();
    log.check(engineStores());
    const { head } = log;
    const logAt = lastLogAt;
    await kernel.run(UNDER_WAY_MS);
    log.check(engineStores());
    check(18, lastLogAt > logAt, () => 'nothing is logged');
    for (const [name, store] of engineStores()) log.checkWhole(name, store, head);
    checkFrames();
    checkTold();
    paid.checkServed(ANSWERED_WITHIN_MS);
    const most = limited?.most() ?? 0;
    check(24, most <= FREE_LIMIT, () => `${most} calls were let in within an hour`);
    const now = stage.trueNow();
    delivered.checkExact(leader?.life, windowsAt(now), (id) => timeline.find(id, now) === undefined);
    if (round % ROUNDS_PER_VERIFICATION === 0) await verifyEngines();
  }

  async function verifyEngines(): Promise<void> {
    for (const [name, store] of engineStores()) {
      const { difference } = await verify(store, { simulations: 0 });
      check(4, difference === null, () => `${name}: ${JSON.stringify(difference).slice(0, 1_000)}`);
    }
  }

  /** On every disk the same number is the same frame, and none is missing. */
  function checkFrames(): void {
    const texts = new Map<string, string>();
    for (const { name, folders } of members) {
      for (const { kept } of folders.stores.values()) {
        for (const { topic, seq: last } of kept.feed.topics()) {
          const rows = kept.feed.read(topic, 0, Number.MAX_SAFE_INTEGER);
          const first = rows[0]?.seq ?? last + 1;
          check(
            7,
            rows.length === last - first + 1,
            () => `${name}, ${topic}: ${rows.length} frames from ${first} to ${last}`,
          );
          for (const { seq, at, text } of rows) {
            const place = `${topic} ${seq}`;
            const content = `${at} ${text}`;
            const before = texts.get(place);
            check(
              7,
              before === undefined || before === content,
              () => `${name}, ${place}: ${content} was ${before}`,
            );
            texts.set(place, content);
          }
        }
      }
    }
  }

  /** Every engine has what a reader or a caller was told. */
  function checkTold(): void {
    const since = kernel.now() - UNDER_WAY_MS;
    for (const [name, { waitlist, feed }] of engineStores()) {
      const last = new Map(feed.topics().map(({ topic, seq }) => [topic, seq]));
      for (const [topic, { seq, at }] of shown)
        if (at < since)
          check(
            5,
            (last.get(topic) ?? 0) >= seq,
            () => `${topic} ${seq} was shown, and ${name} has ${last.get(topic)}`,
          );
      const places = new Map(Array.from(waitlist.list(), (entry) => [entry.name, entry.position]));
      for (const [claimant, { position, at }] of claims)
        if (at < since)
          check(
            5,
            places.get(claimant) === position,
            () => `${claimant} was given place ${position}, and ${name} has ${places.get(claimant)}`,
          );
    }
  }

  try {
    const end = hours * HOUR_MS;
    for (let round = 1; kernel.now() < end && violations.found.length === 0; round++) {
      const roundEnd = Math.min(end, round * ROUND_MS);
      await pass(roundEnd - CALM_MS - kernel.now());
      faults.endAll();
      await pass(roundEnd - kernel.now());
      if (violations.found.length === 0) await checkWhole(round);
      report(progressOf(stage, violations.found.length, kills, end));
    }
    if (violations.found.length === 0) await verifyEngines();
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
      'log entries on the bus': log.head,
      terms: writers.size,
      kills,
      claims: claims.size,
      'most calls of a caller in an hour': limited?.most() ?? 0,
      'longest silence of the log in ms': Math.round(longestSilenceMs),
      ...Object.fromEntries(members.map(({ name, lives }) => [`lives of ${name}`, lives])),
    },
    virtualMs: kernel.now(),
    digest: digest.digest('hex'),
  };
}

const STATES: readonly KeptPayment['state'][] = [
  'RESERVED',
  'VERIFIED',
  'SETTLING',
  'UNKNOWN',
  'FAILED',
  'SETTLED',
];

/** As the engine has it that knows most: the other one follows. */
function furthest(rows: readonly (KeptPayment | undefined)[]): KeptPayment | undefined {
  const known = rows.filter((row) => row !== undefined);
  return known.toSorted((a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state))[0];
}

/** What a process logs of a request that it answered with 500. */
const REQUEST_FAILED = 'a request failed';

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `; because of ${textOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

interface Answer {
  readonly status: number;
  readonly tag: string | null;
  readonly body: string;
}

/** When a process answers, and what passes by its clock: ages, and the time that is left as of its last tick. */
const BY_CLOCK = /"timestamp":\d+|"seconds_remaining":\d+|"ages_ms":\{[^}]*\}/g;

function sayingOf({ body }: Answer): string {
  return body.replaceAll(BY_CLOCK, '');
}

function exitCodeOf(end: ServiceError): number {
  const unread = new Writable({ write: (_chunk, _encoding, done) => done() });
  const ignore = () => undefined;
  return reportFailure(end, {
    env: {},
    stdout: unread,
    stderr: unread,
    on: ignore,
    off: ignore,
    exit: ignore,
  });
}

const MEMBERS = 'members.';

/** What each process says of itself, by its name on the bus. */
function toldBy({ bus, members }: ClusterStage): ReadonlyMap<string, ReturnType<typeof decodeMember>> {
  const values = bus.find('values');
  return new Map(
    members.flatMap(({ member }) => {
      const there = values?.newest(MEMBERS + member);
      return there === undefined || there.body.length === 0
        ? []
        : [[member, decodeMember(there.body)] as const];
    }),
  );
}

type Watch = {
  -readonly [Name in 'onAsk' | 'onRead' | 'onPublish' | 'onEnd' | 'onForced']?: ClusterStageOptions[Name];
};

/** What is known only once the stage is there. */
function createWatch(): Watch {
  return {};
}

function progressOf({ kernel }: ClusterStage, violations: number, kills: number, end: number): string {
  const hours = (kernel.now() / HOUR_MS).toFixed(2);
  const cpu = process.cpuUsage();
  const cpuSeconds = Math.round((cpu.user + cpu.system) / 1e6);
  return `${hours} h of ${(end / HOUR_MS).toFixed(2)} h: ${kernel.events} events, ${kills} kills, ${violations} violations, ${cpuSeconds} s of CPU`;
}
