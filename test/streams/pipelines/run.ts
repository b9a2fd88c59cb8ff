import assert from 'node:assert/strict';
import {
  createRunner,
  decodeState,
  emptyState,
  encodeState,
  type GraphState,
  type Observation,
  type Output,
  type OutputOf,
  type StreamName,
} from '../../../streams/internal.ts';
import type { OnFailure } from '../../../streams/operators/actors.ts';
import type { PostChange } from '../../../streams/pipelines/messages.ts';
import type { Entry } from '../../support/facts.ts';

/** The outputs of a log. */
export function run(log: readonly Observation[], state: GraphState = emptyState()): Output[] {
  return log.flatMap(createRunner(state).run);
}

/** Each observation of a log with its outputs. */
export function runByStep(log: readonly Observation[]): (readonly [Observation, readonly Output[]])[] {
  const runner = createRunner(emptyState());
  return log.map((observation) => [observation, runner.run(observation)] as const);
}

/** The outputs of a log, by a graph that is stopped before each index of `cuts` and started again from its checkpoint. */
export function runInParts(log: readonly Observation[], cuts: readonly number[]): Output[] {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), log.length];
  let text = encodeState(emptyState());
  return bounds.flatMap((end, part) => {
    const state = decodeState(text);
    const outputs = run(log.slice(bounds[part - 1] ?? 0, end), state);
    text = encodeState(state);
    return outputs;
  });
}

export function ofStream<S extends StreamName>(outputs: readonly Output[], stream: S): OutputOf<S>[] {
  return outputs.filter((output): output is Extract<Output, OutputOf<S>> => output.stream === stream);
}

export function records<S extends StreamName>(outputs: readonly Output[], stream: S) {
  return ofStream(outputs, stream).map(({ record }) => record);
}

/** The newest output of a stream by key. */
export function latest<S extends StreamName>(outputs: readonly Output[], stream: S) {
  return new Map(ofStream(outputs, stream).map((output) => [output.key, output]));
}

/** Observations by their letters in a marble diagram, numbered in the order given. */
export function lettered<Letter extends string>(
  entries: Readonly<Record<Letter, Entry>>,
): Record<string, Observation> {
  return Object.fromEntries(
    Object.entries<Entry>(entries).map(([letter, [receivedAt, fact]], index) => [
      letter,
      { seq: index + 1, receivedAt, fact },
    ]),
  );
}

/** A new post, found by a live poll. */
export function foundLive(output: OutputOf<'posts'>): PostChange {
  return { output, via: 'poll', previous: undefined };
}

/** For a pipeline that is run alone: none of its actors may fail. */
export const neverFails: OnFailure = ({ actor, error }) => assert.fail(`${actor}: ${error}`);
