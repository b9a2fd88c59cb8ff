import {
  calendarAt,
  createSignalsRunner,
  type Fact,
  MINUTE_MS,
  type Observation,
  type Output,
  type StreamName,
} from '../../streams/internal.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { KeptOutput, Store } from '../store/store.ts';
import { isForecastOf } from './active-events.ts';
import type { OutputOf } from './latest.ts';
import { outputOf } from './output-lookup.ts';

/** The streams that signals are computed from. */
export const SIGNAL_INPUTS = ['events', 'counters', 'predictions', 'prices', 'scores'] as const;

/**
 * How far before the instant the computation begins. Prices of a market with trade change the signals every few seconds, and
 * a forecast does so each minute, so they have nearly always changed within the first two of these.
 */
export const SIGNAL_WINDOWS_MS: readonly number[] = [
  MINUTE_MS / 3,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  60 * MINUTE_MS,
];

/** The log has the observations of all accounts, so that with many of them an hour of it would take seconds to read. */
export const MOST_OBSERVATIONS = 50_000;

interface PastSignalsDeps extends Pick<Store, 'journal' | 'outputs'> {
  /** The last outputs of the inputs up to an observation, events first: what is about an unknown event is not kept. */
  readonly inputsAt: (place: Place) => Promise<readonly Output[]>;
  /** Whether an output is of the account. */
  readonly isOwn: (output: Output) => boolean;
  /** False for most outputs that are not, without reading them whole. */
  readonly mayBeOwn: (row: KeptOutput) => boolean;
  readonly windowsMs: readonly number[];
  /** The computation begins at most so many observations before the instant. */
  readonly mostObservations: number;
  /** The ticks after one observation up to another; undefined when not all of them are known without reading the log. */
  readonly ticksBetween: (afterSeq: number, upTo: number) => readonly Place[] | undefined;
}

interface Place {
  readonly seq: number;
  readonly at: number;
}

/**
 * The signals of each event after an observation. They are not stored, as they change with every price; they are
 * computed again from the outputs they depend on, which are.
 */
export async function signalsAt(deps: PastSignalsDeps, { seq, at }: Place): Promise<readonly Output[]> {
  const earliest = seq - deps.mostObservations;
  const starts = deps.windowsMs.map((windowMs) => Math.max(earliest, deps.journal.seqAt(at - windowMs)));
  let found: readonly Found[] = [];
  for (const startSeq of new Set(starts)) {
    found = await signalsSince(deps, startSeq, seq);
    if (found.every(({ isExact }) => isExact)) break;
  }
  return found.map(({ output }) => output);
}

interface Found {
  readonly output: OutputOf<'signals'>;
  /** Whether the signals changed at the seq of the output. Else they did so earlier, and it is that of their newest input. */
  readonly isExact: boolean;
}

async function signalsSince(deps: PastSignalsDeps, startSeq: number, seq: number): Promise<readonly Found[]> {
  const { journal, inputsAt } = deps;
  const runner = createSignalsRunner();
  const last = new Map<string, Found>();
  const loop = createLoopYield();

  const [start] = startSeq < Math.max(1, journal.tail) ? [] : journal.readBack(startSeq);
  if (start !== undefined) {
    const known = await inputsAt({ seq: startSeq, at: calendarAt(start) });
    for (const output of known) if (!isOfAnotherWindow(output, known)) runner.take(output);
    for (const output of runner.observe(tickAt(start))) {
      last.set(output.key, { output: { ...output, ...newestInput(known, output.key) }, isExact: false });
    }
  }

  const changes = await changesBetween(deps, startSeq, seq);
  let next = 0;
  for (const observation of observationsBetween(deps, startSeq, seq, changes)) {
    for (let each = changes[next]; each !== undefined && each.seq <= observation.seq; each = changes[next]) {
      runner.take(each);
      next += 1;
    }
    for (const output of runner.observe(observation)) last.set(output.key, { output, isExact: true });
    if (loop.isDue()) await loop.yield();
  }
  return [...last.values()];
}

/** The observations that may change signals: those that have changed an input, and ticks. From the log all of them. */
function* observationsBetween(
  { journal, ticksBetween }: PastSignalsDeps,
  startSeq: number,
  seq: number,
  changes: readonly Output[],
): Iterable<Observation> {
  const ticks = ticksBetween(startSeq, seq);
  if (ticks === undefined) {
    for (const observation of journal.read(startSeq + 1)) {
      if (observation.seq > seq) return;
      yield observation;
    }
    return;
  }
  let next = 0;
  for (const { seq: changedSeq, at } of changes) {
    for (let tick = ticks[next]; tick !== undefined && tick.seq <= changedSeq; tick = ticks[next]) {
      yield { seq: tick.seq, receivedAt: tick.at, fact: TICK };
      next += 1;
    }
    yield { seq: changedSeq, receivedAt: at, fact: NO_TICK };
  }
  for (const { seq: tickSeq, at } of ticks.slice(next)) yield { seq: tickSeq, receivedAt: at, fact: TICK };
}

/** The outputs after one observation up to another, in the order of the log. */
async function changesBetween(
  { outputs, isOwn, mayBeOwn }: PastSignalsDeps,
  afterSeq: number,
  seq: number,
): Promise<readonly Output[]> {
  const loop = createLoopYield();
  const found: Output[] = [];
  for (const stream of SIGNAL_INPUTS) {
    for (const row of outputs.read(stream, afterSeq + 1)) {
      if (row.seq > seq) break;
      if (loop.isDue()) await loop.yield();
      if (!mayBeOwn(row)) continue;
      const output = outputOf(row);
      if (isOwn(output)) found.push(output);
    }
  }
  return found.toSorted((a, b) => a.seq - b.seq);
}

/** Whether a forecast was made before the window of its event changed, when signals forget it. */
function isOfAnotherWindow(output: Output, known: readonly Output[]): boolean {
  if (output.stream !== 'predictions') return false;
  return known.some(
    ({ stream, key, record }) =>
      stream === 'events' && key === output.key && !isForecastOf(record, output.record),
  );
}

/** Signals look at the clock at ticks alone, and at nothing else of an observation. */
const TICK: Fact = { kind: 'tick', ages: {} };
const NO_TICK: Fact = { kind: 'listing', subject: 'posts' };

function tickAt(observation: Observation): Observation {
  return { ...observation, fact: TICK };
}

const OF_EVENTS: readonly StreamName[] = ['events', 'counters', 'predictions', 'prices'];

function newestInput(inputs: readonly Output[], eventKey: string): Place {
  let newest = { seq: 0, at: 0 };
  for (const { stream, seq, at, record } of inputs) {
    const isOfEvent =
      OF_EVENTS.includes(stream) && 'eventId' in record && String(record.eventId) === eventKey;
    if (isOfEvent && seq > newest.seq) newest = { seq, at };
  }
  return newest;
}
