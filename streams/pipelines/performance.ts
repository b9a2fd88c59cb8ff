import { filter, merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { brier, contains, logScore } from '../model/forecast/scores.ts';
import { HORIZON_HOURS } from '../model/horizons.ts';
import { quantileCrps, quantilePit } from '../model/quantile-scores.ts';
import type { AccountId } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { Cause, OutputOf, Prediction } from '../records.ts';
import type { Score, ScoreRecord } from '../score-records.ts';
import { type ForecastChange, isOutcomeOf, type Outcome, targetOf } from './forecast-state.ts';

/** The oracle corrects late: scores follow it this long after the end. */
const FOLLOW_MS = 7 * DAY_MS;
/** An event that is not settled by then never will be. */
const GIVE_UP_MS = 100 * DAY_MS;
const KEEP_OUTCOME_MS = 800 * DAY_MS;

type Settled = Extract<ForecastChange, { outcome: Outcome }>;

export interface PerformanceState {
  /** Rows that wait for their outcome or its correction, by `<event>@<hours>`. */
  readonly rows: Map<string, Prediction>;
  readonly outcomes: Map<number, Outcome>;
}

export type PerformanceMessage = Settled | OutputOf<'predictions'> | OutputOf<'events'>;

/** Scores the ledger's rows beside them: when their event is settled, and anew when that is corrected. */
export function performance(
  event$: Observable<OutputOf<'events'>>,
  change$: Observable<ForecastChange>,
  prediction$: Observable<OutputOf<'predictions'>>,
  states: ActorStates<PerformanceState>,
  onFailure: (failure: ActorFailure<PerformanceMessage>) => void,
): Observable<OutputOf<'scores'>> {
  const row$ = prediction$.pipe(filter(({ record }) => record.horizonHours !== null));
  const settled$ = change$.pipe(filter((change): change is Settled => 'outcome' in change));
  return merge(event$, row$, settled$).pipe(
    actors<PerformanceMessage, PerformanceState, OutputOf<'scores'>>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'performance',
  address: (message: PerformanceMessage): readonly AccountId[] => {
    if ('outcome' in message) return [message.account];
    if (message.stream === 'predictions') return [message.record.account];
    const { subject } = message.record;
    return subject.type === 'posts' ? [subject.account] : [];
  },
  spawn: (): PerformanceState => ({ rows: new Map(), outcomes: new Map() }),
  receive,
};

function receive(
  state: PerformanceState,
  message: PerformanceMessage,
  emit: (output: OutputOf<'scores'>) => void,
): void {
  const { rows, outcomes } = state;
  const { seq, at, cause } = message;
  if ('outcome' in message) {
    const { outcome } = message;
    outcomes.set(outcome.eventId, outcome);
    for (const hours of HORIZON_HOURS) {
      const row = rows.get(`${outcome.eventId}@${hours}`);
      if (row !== undefined) score(row, outcome, { seq, at, cause }, emit);
    }
  } else if (message.stream === 'events') {
    const known = outcomes.get(message.record.eventId);
    if (known !== undefined && !isOutcomeOf(targetOf(message.record), known)) outcomes.delete(known.eventId);
  } else {
    const outcome = outcomes.get(message.record.eventId);
    rows.set(message.key, message.record);
    if (outcome !== undefined) score(message.record, outcome, { seq, at, cause }, emit);
  }
  forget(state, at);
}

function forget({ rows, outcomes }: PerformanceState, at: number): void {
  for (const [key, { eventId, endAt }] of rows) {
    if (endAt < at - (outcomes.has(eventId) ? FOLLOW_MS : GIVE_UP_MS)) rows.delete(key);
  }
  for (const [eventId, { endAt }] of outcomes) if (endAt < at - KEEP_OUTCOME_MS) outcomes.delete(eventId);
}

function score(
  row: Prediction,
  outcome: Outcome,
  place: { readonly seq: number; readonly at: number; readonly cause: Cause },
  emit: (output: OutputOf<'scores'>) => void,
): void {
  const { horizonHours } = row;
  if (horizonHours === null) return;
  const key = `${row.eventId}@${horizonHours}`;
  emit({ stream: 'scores', key, ...place, record: scoreOf({ ...row, horizonHours }, outcome) });
}

function scoreOf(
  row: Prediction & { readonly horizonHours: number },
  { final, wonLo }: Outcome,
): ScoreRecord {
  const { forecastId, eventId, account, origin, horizonHours, modelVersion, madeAt, endAt } = row;
  const { p5, p50, p95, quantiles, paceQuantiles, buckets } = row;
  const won = winnerOf(row, final, wonLo);
  const ofBuckets = (probabilities: readonly number[]) => bucketScores(row, probabilities, won);
  const prices = buckets.flatMap(({ price }) => (price === null ? [] : [price]));
  const sum = prices.reduce((total, price) => total + price, 0);
  const isPriced = prices.length === buckets.length && sum > 0;
  return {
    forecastId,
    eventId,
    account,
    origin,
    horizonHours,
    modelVersion,
    madeAt,
    endAt,
    final,
    p50,
    errorPercent: final === 0 ? null : (Math.abs(p50 - final) / final) * 100,
    model: {
      ...ofBuckets(buckets.map(({ prob }) => prob)),
      ...countScores(quantiles, p5, p95, final),
    },
    pace: {
      ...ofBuckets(buckets.map(({ paceProb }) => paceProb)),
      ...countScores(paceQuantiles, paceQuantiles[5] ?? 0, paceQuantiles[95] ?? 0, final),
    },
    // Prices of ranges do not tell where inside a range the count lies, so only the ranges are scored.
    market: isPriced
      ? { crps: null, ...ofBuckets(prices.map((price) => price / sum)), isCovered: null, pit: null }
      : null,
    wonLo: buckets[won]?.lo ?? null,
    top: topOf(row),
  };
}

function topOf({ buckets }: Prediction): ScoreRecord['top'] {
  const [first, ...others] = buckets;
  if (first === undefined) return null;
  const { lo, prob } = others.reduce((top, bucket) => (bucket.prob > top.prob ? bucket : top), first);
  return { lo, prob };
}

function countScores(quantiles: readonly number[], p5: number, p95: number, final: number) {
  return {
    crps: quantileCrps(quantiles, final),
    isCovered: p5 <= final && final <= p95,
    pit: quantilePit(quantiles, final),
  };
}

/** The market's word says which bucket won; before it is spoken, the count does. -1 when neither names one. */
function winnerOf({ buckets }: Prediction, final: number, wonLo: number | null): number {
  const byMarket = buckets.findIndex(({ lo }) => lo === wonLo);
  return byMarket === -1 ? buckets.findIndex((bucket) => contains(bucket, final)) : byMarket;
}

function bucketScores(
  { buckets }: Prediction,
  probabilities: readonly number[],
  won: number,
): Pick<Score, 'logScore' | 'brier'> {
  return {
    logScore: logScore(probabilities[won] ?? 0),
    // Any count of the winner marks it; without one, no bucket is marked.
    brier: brier(buckets, probabilities, buckets[won]?.lo ?? -1),
  };
}
