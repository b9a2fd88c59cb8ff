import {
  createRunner,
  type Fact,
  type GraphState,
  isKept,
  type Output,
  type OutputOf,
} from '../../streams/internal.ts';
import { StoreError } from '../errors.ts';
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

export type TurnReport =
  | {
      readonly type: 'turn';
      readonly observations: number;
      readonly outputs: readonly Output[];
      readonly journalMs: number;
      readonly graphMs: number;
      readonly outputsMs: number;
    }
  | { readonly type: 'refused_write'; readonly error: unknown };

interface Turns {
  /**
   * Resolves once the facts are in the log, have gone through the streams, and readers see the outputs. Does nothing
   * without facts.
   */
  accept(facts: readonly Fact[]): Promise<void>;
  /**
   * Runs `task` between two turns, when log, state and outputs agree. The next turn waits until it is over. Rejects after
   * outputs could not be stored.
   */
  between<T>(task: () => T | Promise<T>): Promise<T>;
  /** When the last observation of the log was received, UTC ms; 0 without one. */
  lastAt(): number;
  /** Finishes the accepted facts; accepts no more. */
  stop(): Promise<void>;
}

interface Waiting {
  readonly facts: readonly Fact[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A turn appends all facts since the last turn to the log (one commit), runs them through the graph, stores their
 * outputs (one commit) and publishes them. Time in the log never runs back: while the calendar is behind the log, the
 * log's time stands still and each observation says by how much it is ahead. While the disk refuses a write, the turn
 * and every source wait for it: nothing is dropped, and readers keep the values they have.
 */
export function createTurns(deps: TurnsDeps): Turns {
  const { journal, outputs, latest, clock, report } = deps;
  const runner = createRunner(deps.state);

  const writer = createRetryingWriter({
    onRefused: (error) => report({ type: 'refused_write', error }),
    isRefusal: (error) => error instanceof StoreError && error.code !== 'STORE_CORRUPT',
    retryMs: deps.retryMs,
  });
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let isStopping = false;
  /** When the last observation was received. */
  let lastAt = receivedAtHead(journal);
  /** Set when outputs could not be stored: the streams are then ahead of the store, and only a restart recovers. */
  let broken: unknown;

  async function turn(taken: readonly Waiting[]): Promise<void> {
    const startedAt = clock.mono();
    const calendarAt = clock.wall();
    const receivedAt = Math.max(calendarAt, lastAt);
    const when = calendarAt < receivedAt ? { receivedAt, aheadMs: receivedAt - calendarAt } : { receivedAt };
    let seq = journal.head;
    const observations = taken.flatMap(({ facts }) => facts.map((fact) => ({ seq: ++seq, ...when, fact })));
    await writer.write(() => journal.append(observations));
    lastAt = receivedAt;
    const loggedAt = clock.mono();

    const emitted: Output[] = [];
    const requests: OutputOf<'requests'>[] = [];
    for (const output of observations.flatMap((observation) => runner.run(observation))) {
      if (output.stream === 'requests') requests.push(output);
      else emitted.push(output);
    }
    const graphedAt = clock.mono();

    if (emitted.some(({ stream }) => isKept(stream))) {
      await writer
        .write(() => outputs.append(emitted, seq))
        .catch((error: unknown) => {
          broken = error;
          throw error;
        });
    }
    const keptAt = clock.mono();
    latest.apply(emitted, seq, calendarAt);
    for (const request of requests) deps.request(request);
    report({
      type: 'turn',
      observations: observations.length,
      outputs: emitted,
      journalMs: loggedAt - startedAt,
      graphMs: graphedAt - loggedAt,
      outputsMs: keptAt - graphedAt,
    });
  }

  async function hold<T>(task: () => T | Promise<T>): Promise<T> {
    let release = () => {};
    running = new Promise((resolve) => {
      release = resolve;
    });
    try {
      return await task();
    } finally {
      running = waiting.length > 0 ? run() : undefined;
      release();
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting;
      waiting = [];
      try {
        if (broken !== undefined) throw broken;
        await turn(taken);
        for (const { done } of taken) done();
      } catch (error) {
        for (const { failed } of taken) failed(error);
      }
    }
    running = undefined;
  }

  return {
    accept(facts) {
      if (facts.length === 0) return Promise.resolve();
      if (isStopping) return Promise.reject(new StoreError('STORE_CLOSING', 'the engine is stopping'));
      return new Promise((done, failed) => {
        waiting.push({ facts, done, failed });
        running ??= run();
      });
    },
    async between(task) {
      while (running) await running;
      if (broken !== undefined) throw broken;
      return hold(task);
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
