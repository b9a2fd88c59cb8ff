import { filter, merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { brier, contains, logScore } from '../model/forecast/scores.ts';
import { HORIZON_HOURS } from '../model/horizons.ts';
import { pmfCrps } from '../model/pmf.ts';
import { quantileCrps, quantilePit } from '../model/quantile-scores.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Prediction, Trigger } from '../records.ts';
import type { Score, ScoreRecord, SettlementScore } from '../score-records.ts';
import { isOutcomeOf, targetOf } from './forecast-state.ts';
import { accountsOf, type Inputs, type Message, type Outcome } from './messages.ts';

/** How long after the end scores follow the oracle, which corrects late. */
const FOLLOW_MS = 7 * DAY_MS;
/** An event that is not settled by then is not expected to be. */
const GIVE_UP_MS = 100 * DAY_MS;
const KEEP_OUTCOME_MS = 800 * DAY_MS;

export interface PerformanceState {
  /** Rows that may still be scored, by `<event>@<hours>`. */
  readonly rows: Map<string, Prediction>;
  readonly outcomes: Map<number, Outcome>;
}

type From = 'event' | 'prediction' | 'outcome';

/** Scores the rows of the ledger when their event is settled, and again when its outcome is corrected. */
export function performance(
  { event$, prediction$, outcome$ }: Inputs<From>,
  states: ActorStates<PerformanceState>,
  onFailure: OnFailure,
): Observable<OutputOf<'scores'>> {
  const row$ = prediction$.pipe(filter(({ record }) => record.horizonHours !== null));
  return merge(tagged('event', event$), tagged('prediction', row$), tagged('outcome', outcome$)).pipe(
    actors(behaviour, states, onFailure),
  );
}

const behaviour: Behaviour<Message<From>, PerformanceState, OutputOf<'scores'>> = {
  name: 'performance',
  address: accountsOf,
  spawn: () => ({ rows: new Map(), outcomes: new Map() }),
  receive(state, { type, value }, emit) {
    const { rows, outcomes } = state;
    if (type === 'outcome') {
      const { outcome } = value;
      outcomes.set(outcome.eventId, outcome);
      for (const hours of HORIZON_HOURS) {
        const row = rows.get(`${outcome.eventId}@${hours}`);
        if (row !== undefined) score(row, outcome, value, emit);
      }
    } else if (type === 'event') {
      const known = outcomes.get(value.record.eventId);
      if (known !== undefined && !isOutcomeOf(targetOf(value.record), known)) outcomes.delete(known.eventId);
    } else {
      const outcome = outcomes.get(value.record.eventId);
      rows.set(value.key, value.record);
      if (outcome !== undefined) score(value.record, outcome, value, emit);
    }
    forget(state, value.at);
  },
};

function forget({ rows, outcomes }: PerformanceState, at: number): void {
  for (const [key, { eventId, endAt }] of rows) {
    if (endAt < at - (outcomes.has(eventId) ? FOLLOW_MS : GIVE_UP_MS)) rows.delete(key);
  }
  for (const [eventId, { endAt }] of outcomes) if (endAt < at - KEEP_OUTCOME_MS) outcomes.delete(eventId);
}

function score(
  row: Prediction,
  outcome: Outcome,
  { seq, at, cause }: Trigger,
  emit: (output: OutputOf<'scores'>) => void,
): void {
  const { horizonHours } = row;
  if (horizonHours === null) return;
  const key = `${row.eventId}@${horizonHours}`;
  emit({ stream: 'scores', key, seq, at, cause, record: scoreOf({ ...row, horizonHours }, outcome) });
}

function scoreOf(row: Prediction & { readonly horizonHours: number }, outcome: Outcome): ScoreRecord {
  const { final, wonLo } = outcome;
  const { forecastId, eventId, account, origin, horizonHours, modelVersion, madeAt, endAt } = row;
  const { p5, p50, p95, quantiles, paceQuantiles, ownQuantiles, buckets } = row;
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
    own: ownQuantiles
      ? {
          ...ofBuckets(buckets.map(({ ownProb }) => ownProb ?? 0)),
          ...countScores(ownQuantiles, ownQuantiles[5] ?? 0, ownQuantiles[95] ?? 0, final),
        }
      : null,
    settlement: settlementScore(row, outcome),
    // The market prices only ranges, so it has no score of the exact count.
    market: isPriced
      ? { crps: null, ...ofBuckets(prices.map((price) => price / sum)), isCovered: null, pit: null }
      : null,
    wonLo: buckets[won]?.lo ?? null,
    top: topOf(row),
  };
}

function settlementScore({ settlement }: Prediction, { final, own }: Outcome): SettlementScore | null {
  if (settlement === undefined || own === null) return null;
  const { offset: forecast, p5, p50, p95 } = settlement;
  const offset = final - own;
  return { offset, p50, crps: pmfCrps(forecast, offset), isCovered: p5 <= offset && offset <= p95 };
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

/** Index of the bucket that the market names as the winner, else of the one that holds the count, else -1. */
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
    // The lower bound lies inside the winner; -1 lies in no bucket.
    brier: brier(buckets, probabilities, buckets[won]?.lo ?? -1),
  };
}
