import {
  type FitFact,
  type ForecastFact,
  MODEL,
  type Observation,
  type Output,
} from '../../streams/internal.ts';
import { answer } from '../simulation/answer-request.ts';
import { createModelCache } from '../simulation/model-cache.ts';
import type { Difference } from './difference.ts';

type Request = Extract<Output, { readonly stream: 'requests' }>;
type Answer = FitFact | ForecastFact;

interface Answered {
  readonly seq: number;
  readonly fact: Answer;
  readonly request: Request;
}

/** Runs the model again on the requests of the streams, and compares with the answers in the log. */
interface Resimulation {
  /** Takes an observation and its outputs; returns a difference that is found at once. */
  handle(observation: Observation, outputs: readonly Output[]): Difference | undefined;
  /** Compares the next sampled answer, in the order of the log; undefined when none is left. */
  next(): { readonly difference: Difference | undefined } | undefined;
  /** How many were found the same. */
  count(): number;
}

/**
 * Up to `most` answers, spread evenly over the log and always the same ones, are put aside; infinitely many are
 * compared as they come. Answers of other model versions, and those to requests before the first observation, cannot
 * be compared.
 */
export function openResimulation(most: number): Resimulation {
  // The streams ask one thing at a time under each key, so this stays small.
  const asked = new Map<string, Request>();
  const cache = createModelCache();
  let sample: Answered[] = [];
  let answers = 0;
  let same = 0;

  function compare({ seq, fact, request }: Answered): Difference | undefined {
    const kept = JSON.stringify(fact);
    const recomputed = JSON.stringify(answer(request.record, fact.askedSeq, cache));
    if (kept !== recomputed) return { place: fact.kind, seq, kept, recomputed };
    same += 1;
    return undefined;
  }

  /** One of `answers` places, any of which is as likely for a sample that does not know the length of the log. */
  function putAside(answered: Answered): void {
    answers += 1;
    const place = answers <= most ? answers - 1 : Math.floor(spread(answers) * answers);
    if (place < most) sample[place] = answered;
  }

  function handleAnswer(seq: number, fact: Answer): Difference | undefined {
    const request = asked.get(keyOf(fact));
    const version = fact.kind === 'fit' ? fact.params.version : fact.inputs.version;
    if (request?.seq !== fact.askedSeq || !version.startsWith(`${MODEL}+`)) return undefined;
    asked.delete(keyOf(fact));
    const answered = { seq, fact, request };
    if (most === Number.POSITIVE_INFINITY) return compare(answered);
    putAside(answered);
    return undefined;
  }

  return {
    handle({ seq, fact }, outputs) {
      const difference =
        fact.kind === 'fit' || fact.kind === 'forecast' ? handleAnswer(seq, fact) : undefined;
      for (const output of outputs) if (output.stream === 'requests') asked.set(output.key, output);
      return difference;
    },
    next() {
      sample = sample.sort((a, b) => a.seq - b.seq);
      const answered = sample.shift();
      return answered && { difference: compare(answered) };
    },
    count: () => same,
  };
}

/** The key of its request. */
function keyOf(fact: Answer): string {
  if (fact.kind === 'fit') return `fit:${fact.account}`;
  return fact.horizonHours === null ? String(fact.eventId) : `${fact.eventId}@${fact.horizonHours}`;
}

/** A number in [0, 1) that belongs to `n`. */
function spread(n: number): number {
  let h = Math.imul(n, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
