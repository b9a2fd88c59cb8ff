import {
  calendarAt,
  createRunner,
  type Fact,
  type GraphState,
  isKept,
  type Observation,
  type Output,
  type OutputOf,
  readPutOff,
} from '../../streams/internal.ts';
import { isRefusedWrite, StoreError } from '../errors.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import { createRetryingWriter } from '../resilience/retry-write.ts';
import type { Journal, Outputs } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';
import type { Clock } from './clock.ts';

interface TurnsDeps {
  readonly journal: Journal;
  readonly outputs: Outputs;
  readonly latest: LatestWriter;
  readonly state: GraphState;
  readonly clock: Clock;
  /** Called with each request to the simulators, once the turn is stored and published. */
  readonly request: (request: OutputOf<'requests'>) => void;
  readonly report: (report: TurnReport) => void;
  /** Ms before a refused write is tried again. */
  readonly retryMs?: number | undefined;
}

/**
 * Tells other machines of each turn. Each method calls `store` at most once, which stores the same on this machine, and
 * settles when nothing of it is under way any more. After a rejection there are no more turns.
 */
export interface Publishing {
  /** Stores here only what is stored for all: another engine may have taken over. */
  log(observations: readonly Observation[], store: () => Promise<void>): Promise<void>;
  /** Of a turn with outputs. `calendarAt` is UTC ms. */
  outputs(
    turn: { readonly outputs: readonly Output[]; readonly upTo: number; readonly calendarAt: number },
    store: () => Promise<void>,
  ): Promise<void>;
}

export type TurnReport =
  | {
      readonly type: 'turn';
      readonly observations: number;
      readonly outputs: readonly Output[];
      readonly journalMs: number;
      readonly graphMs: number;
      readonly outputsMs: number;
    }
  | { readonly type: 'refused_write'; readonly error: unknown }
  /** There are no more turns, and only a restart recovers. Reported once. */
  | { readonly type: 'broken'; readonly error: unknown };

interface Turns {
  /**
   * Resolves once the facts are in the log, have gone through the streams, and readers see the outputs. Does nothing
   * without facts.
   */
  accept(facts: readonly Fact[]): Promise<void>;
  /**
   * The same for facts that describe the moment of their turn, such as ages: they are made when it begins, however long it
   * had to wait for the disk.
   */
  acceptAtTurn(make: () => readonly Fact[]): Promise<void>;
  /**
   * Runs `task` after the turn under way, when log, state and outputs agree. The next turn waits until it is over.
   * Rejects after a turn could not be finished.
   */
  between<T>(task: () => T | Promise<T>): Promise<T>;
  /** Resolves when every fact that was accepted so far is through, or failed. */
  settled(): Promise<void>;
  /** Applies a block that another engine has logged, and resolves to its outputs, without requests to the simulators. */
  follow(observations: readonly Observation[]): Promise<readonly Output[]>;
  /** From now on other machines are told of each turn. */
  publishTo(publishing: Publishing): void;
  /** When the last observation of the log was received, UTC ms; 0 without one. */
  lastAt(): number;
  /** Finishes the accepted facts; accepts no more. */
  stop(): Promise<void>;
}

interface Waiting {
  /** Called once, when its turn begins. */
  readonly make: () => readonly Fact[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A turn takes no more when it has so many facts. Where turns take long, what waits for the next one would else make that
 * one longer still, and with it the block of the log that readers of the past have to read as a whole.
 */
const FACTS_PER_TURN = 1_000;

/**
 * What takes the graph longer is stored and published in parts, ms. To hand a part to the disk takes about as long again, in
 * which nothing else is done on this thread.
 */
const PART_MS = 8;

/**
 * A turn appends the facts since the last turn to the log (one commit), runs them through the graph, stores their
 * outputs (one commit, or one for each part) and publishes them. Time in the log never runs back: while the calendar is
 * behind the log, the log's time stands still and each observation says by how much it is ahead. While the disk refuses a
 * write, the turn and every source wait for it: nothing is dropped, and readers keep the values they have.
 */
export function createTurns(deps: TurnsDeps): Turns {
  const { journal, outputs, latest, clock, report } = deps;
  const runner = createRunner(deps.state);
  const putOff = readPutOff(deps.state);

  const writer = createRetryingWriter({
    onRefused: (error) => report({ type: 'refused_write', error }),
    isRefusal: isRefusedWrite,
    retryMs: deps.retryMs,
  });
  const waiting: Waiting[] = [];
  const tasks: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  let isStopping = false;
  /** When the last observation was received. */
  let lastAt = receivedAtHead(journal);
  /** Set when a turn could not be finished: the streams are then ahead of the store or the readers. */
  let broken: { readonly error: unknown } | undefined;
  let publishing: Publishing | undefined;
  /** Set when other machines could not be told of a turn: there are no more. Log, state and outputs still agree. */
  let over: { readonly error: unknown } | undefined;

  function breakWith(error: unknown): never {
    // At a stop a write is not tried again.
    if (broken === undefined && !isStopping) report({ type: 'broken', error });
    broken ??= { error };
    throw error;
  }

  /** Stores what others have to be told of too. */
  async function told(tell: (publishing: Publishing) => Promise<void>, store: () => Promise<void>) {
    if (publishing === undefined) return store();
    try {
      await tell(publishing);
    } catch (error) {
      over = { error };
      throw error;
    }
  }

  async function append(observations: readonly Observation[]): Promise<void> {
    const store = () => writer.write(() => journal.append(observations));
    await told(
      ({ log }) =>
        log(observations, () =>
          // Others have it by now, so this engine cannot go on without it.
          store().catch(breakWith),
        ),
      store,
    );
    lastAt = observations.at(-1)?.receivedAt ?? lastAt;
  }

  async function keep(emitted: readonly Output[], upTo: number, calendarAt: number): Promise<void> {
    const store = async () => {
      if (!emitted.some(({ stream }) => isKept(stream))) return;
      await writer.write(() => outputs.append(emitted, upTo)).catch(breakWith);
    };
    const turn = { outputs: emitted, upTo, calendarAt };
    await (emitted.length === 0 ? store() : told((others) => others.outputs(turn, store), store));
  }

  /** Stores the outputs of observations up to `upTo`, and publishes them. Ages in them are those at `startedAt`, by `mono`. */
  async function store(emitted: readonly Output[], upTo: number, calendarAt: number, startedAt: number) {
    await keep(emitted, upTo, calendarAt);
    // Before readers are told, as they are told of ages too.
    if (emitted.some(({ stream }) => stream === 'freshness')) latest.ticked(clock.mono() - startedAt);
    latest.apply(emitted, upTo, calendarAt);
  }

  /**
   * Runs observations of the log through the graph, and stores and publishes what comes of them: of many of them in parts, as
   * what comes of the first need not wait for the last. While a part is being stored the graph goes on with the next. Other
   * machines are told of all at once, since where they cannot be told, no observation may be left out.
   */
  async function derive(observations: readonly Observation[], calendarAt: number, startedAt: number) {
    const emitted: Output[] = [];
    const requests: OutputOf<'requests'>[] = [];
    const partMs = publishing === undefined ? PART_MS : Number.POSITIVE_INFINITY;
    const begunAt = clock.mono();
    let outputsMs = 0;
    let storing: Promise<void> = Promise.resolve();
    const isStored = async () => {
      const waitsFrom = clock.mono();
      await storing;
      outputsMs += clock.mono() - waitsFrom;
    };
    let part: Output[] = [];
    let partAt = begunAt;
    // With many accounts a block has hundreds of observations, and requests are answered meanwhile.
    const loop = createLoopYield();
    try {
      for (const [index, observation] of observations.entries()) {
        for (const output of runner.run(observation)) {
          if (output.stream === 'requests') requests.push(output);
          else part.push(output);
        }
        const isLast = index === observations.length - 1;
        if (isLast || clock.mono() - partAt > partMs) {
          // To hand a part to the disk takes a while as well.
          if (loop.isDue()) await loop.yield();
          await isStored();
          for (const output of part) emitted.push(output);
          storing = store(part, observation.seq, calendarAt, startedAt);
          // Whether it fails is asked before the next part, or at the end.
          storing.catch(() => undefined);
          part = [];
          partAt = clock.mono();
        }
        if (loop.isDue()) await loop.yield();
      }
      await isStored();
    } finally {
      // Nothing is under way any more when the turn is over, however it ends.
      await storing.catch(() => undefined);
    }
    return { emitted, requests, graphMs: clock.mono() - begunAt - outputsMs, outputsMs };
  }

  /** Logs observations, and derives what comes of them. */
  async function block(observations: readonly Observation[], calendarAt: number) {
    const startedAt = clock.mono();
    await append(observations);
    const journalMs = clock.mono() - startedAt;
    try {
      const { emitted, requests, graphMs, outputsMs } = await derive(observations, calendarAt, startedAt);
      const times = { journalMs, graphMs, outputsMs };
      const turned = { type: 'turn', observations: observations.length, outputs: emitted, ...times } as const;
      return { emitted, requests, report: turned };
    } catch (error) {
      // Where only others could not be told, log, state and outputs agree.
      if (over !== undefined) throw error;
      return breakWith(error);
    }
  }

  /** Adds whoever it takes from those that wait to `taken`, for whom it is done or has failed when it settles. */
  async function turn(taken: Waiting[]): Promise<void> {
    const end = broken ?? over;
    if (end !== undefined) {
      taken.push(...waiting.splice(0));
      throw end.error;
    }
    const loop = createLoopYield();
    for (const _ of putOff) if (loop.isDue()) await loop.yield();
    const facts: Fact[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      taken.push(next);
      for (const fact of next.make()) facts.push(fact);
      if (facts.length >= FACTS_PER_TURN) break;
    }
    const calendarAt = clock.wall();
    const receivedAt = Math.max(calendarAt, lastAt);
    const when = calendarAt < receivedAt ? { receivedAt, aheadMs: receivedAt - calendarAt } : { receivedAt };
    let seq = journal.head;
    const observations = facts.map((fact) => ({ seq: ++seq, ...when, fact }));
    if (observations.length === 0) return;
    const { requests, report: turned } = await block(observations, calendarAt);
    for (const request of requests) deps.request(request);
    report(turned);
  }

  async function run(): Promise<void> {
    while (tasks.length > 0 || waiting.length > 0) {
      const task = tasks.shift();
      if (task !== undefined) {
        await task();
        continue;
      }
      const taken: Waiting[] = [];
      try {
        await turn(taken);
        for (const { done } of taken) done();
      } catch (error) {
        for (const { failed } of taken) failed(error);
      }
    }
    running = undefined;
  }

  function between<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        if (broken !== undefined) throw broken.error;
        return task();
      };
      // Before the facts that wait, as there may always be some; and not within this call, as `running` is not set yet.
      tasks.push(() => Promise.resolve().then(attempt).then(resolve, reject));
      running ??= run();
    });
  }

  function acceptAtTurn(make: () => readonly Fact[]): Promise<void> {
    if (isStopping) return Promise.reject(new StoreError('STORE_CLOSING', 'the engine is stopping'));
    return new Promise((done, failed) => {
      waiting.push({ make, done, failed });
      running ??= run();
    });
  }

  return {
    accept: (facts) => (facts.length === 0 ? Promise.resolve() : acceptAtTurn(() => facts)),
    acceptAtTurn,
    between,
    settled: () =>
      new Promise((done) => {
        // There may always be facts that wait, so it waits among them.
        if (running === undefined) done();
        else waiting.push({ make: () => [], done, failed: () => done() });
      }),
    async follow(observations) {
      const last = observations.at(-1);
      if (last === undefined) return [];
      const { emitted, report: turned } = await between(() => block(observations, calendarAt(last)));
      report(turned);
      return emitted;
    },
    publishTo(given) {
      publishing = given;
    },
    lastAt: () => lastAt,
    async stop() {
      isStopping = true;
      writer.stop();
      while (running) await running;
    },
  };
}

function receivedAtHead(journal: Journal): number {
  for (const { receivedAt } of journal.readBack(journal.head)) return receivedAt;
  return 0;
}
