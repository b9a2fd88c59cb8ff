import {
  type CountRange,
  createRunner,
  emptyState,
  type FitFact,
  type Forecast,
  type ForecastFact,
  MODEL,
  type Observation,
  type Output,
  type OutputOf,
} from '../../streams/internal.ts';
import type { Entry } from './facts.ts';

/** Answers as the model might give them, at no cost: the same request gives the same answer. */
export function answerTo({ seq, record }: OutputOf<'requests'>): FitFact | ForecastFact {
  const { account, now } = record;
  if (record.type === 'fit') {
    const coefficients = { mean: [0.5], dispersion: [0.25], bias: [1, 1, 1] };
    const params = { version: `${MODEL}+${now}`, fittedAt: now, rows: 9, ...coefficients };
    return { kind: 'fit', account, askedSeq: seq, params };
  }
  const { eventId, origin, horizonHours, seed, count, endAt, buckets, params, previous, settlement } = record;
  const forecast = spread(count, 40, buckets);
  return {
    kind: 'forecast',
    account,
    eventId,
    askedSeq: seq,
    origin,
    horizonHours,
    seed,
    inputs: {
      version: params?.version ?? `${MODEL}+${now}`,
      now,
      endAt,
      count,
      mean: 20,
      dispersion: 0.1,
      shares: [1],
    },
    forecast,
    pace: spread(count, 20, buckets),
    ...(settlement && {
      own: forecast,
      settlement: {
        oracle: settlement.oracle?.count ?? null,
        soFar: { least: count, probs: [1] },
        offset: { least: 0, probs: [1] },
        p5: 0,
        p50: 0,
        p95: 0,
      },
    }),
    sleepProbability: 0.25,
    moved: previous === null ? [] : [{ cause: 'new_post', p50: forecast.p50 - previous.p50 }],
  };
}

/** Final counts spread evenly over the next `width`. */
export function spread(count: number, width: number, buckets: readonly CountRange[]): Forecast {
  const quantiles = Array.from({ length: 101 }, (_, percent) => count + Math.round((percent * width) / 100));
  const share = ({ lo, hi }: CountRange) =>
    quantiles.filter((final) => final >= lo && (hi === null || final <= hi)).length / quantiles.length;
  const [p5 = 0, p50 = 0, p95 = 0] = [5, 50, 95].map((percent) => quantiles[percent]);
  return { p5, p50, p95, quantiles, bucketProbs: buckets.map(share) };
}

/** A graph that observes one fact after the other; its requests are kept until they are answered. */
export class GraphSession {
  readonly log: Observation[] = [];
  readonly outputs: Output[] = [];
  readonly asked: OutputOf<'requests'>[] = [];
  readonly #runner = createRunner(emptyState());

  observe(...[receivedAt, fact]: Entry): void {
    const observation = { seq: this.log.length + 1, receivedAt, fact };
    this.log.push(observation);
    for (const output of this.#runner.run(observation)) {
      this.outputs.push(output);
      if (output.stream === 'requests') this.asked.push(output);
    }
  }

  /** Takes out the requests of a kind. */
  take(isOfKind: (asked: OutputOf<'requests'>) => boolean): OutputOf<'requests'>[] {
    const found = this.asked.filter(isOfKind);
    for (const asked of found) this.asked.splice(this.asked.indexOf(asked), 1);
    return found;
  }

  /** Answers the requests so far. */
  answer(receivedAt: number, isAnswered: (asked: OutputOf<'requests'>) => boolean = () => true): void {
    for (const asked of this.asked.splice(0))
      if (isAnswered(asked)) this.observe(receivedAt, answerTo(asked));
  }
}
