import { filter, merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { brier, contains, logScore } from '../model/forecast/scores.ts';
import { pmfCrps } from '../model/pmf.ts';
import { quantileCrps, quantilePit } from '../model/quantile-scores.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Prediction, Trigger } from '../records.ts';
import type { Score, ScoreRecord, SettlementScore } from '../score-records.ts';
import { isOutcomeOf, targetOf, windowOf } from './forecast-state.ts';
import { accountsOf, type Inputs, type Message, type Outcome } from './messages.ts';

/** How long after the end scores follow the oracle, which corrects late. */
const FOLLOW_MS = 7 * DAY_MS;
/** An event that is not settled by then is not expected to be. */
const GIVE_UP_MS = 100 * DAY_MS;
const KEEP_OUTCOME_MS = 800 * DAY_MS;

interface Row {
  readonly forecast: HorizonForecast;
  /** The id of the window it was made for. */
  readonly window: string;
  isVoid: boolean;
}

type HorizonForecast = Prediction & { readonly horizonHours: number };

export interface PerformanceState {
  /** Rows that may still be scored, by their keys in the ledger. */
  readonly rows: Map<string, Row>;
  readonly outcomes: Map<number, Outcome>;
}

type From = 'event' | 'prediction' | 'outcome';

/**
 * Scores the rows of the ledger when their event is settled, and again when its outcome is corrected. A row that was made
 * for another window than the one that was settled is void.
 */
export function performance(
  { event$, prediction$, outcome$ }: Inputs<From>,
  states: ActorStates<PerformanceState>,
  onFailure: OnFailure,
): Observable<OutputOf<'scores'>> {
  // A forecast that is not scored comes each minute, and needs no look at the rows.
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
      for (const [key, row] of rowsOf(state, outcome.eventId)) {
        if (row.window === outcome.window) score(key, row, outcome, value, emit);
      }
    } else if (type === 'event') {
      const target = targetOf(value.record);
      const known = outcomes.get(target.eventId);
      if (known !== undefined && !isOutcomeOf(target, known)) outcomes.delete(known.eventId);
      for (const [key, row] of rowsOf(state, target.eventId)) {
        if (row.window !== target.window) withdraw(key, row, value, emit);
      }
    } else {
      const { horizonHours } = value.record;
      if (horizonHours === null) return;
      const row: Row = {
        forecast: { ...value.record, horizonHours },
        window: windowOf(value.record),
        isVoid: false,
      };
      rows.set(value.key, row);
      const outcome = outcomes.get(value.record.eventId);
      if (outcome?.window === row.window) score(value.key, row, outcome, value, emit);
    }
    forget(state, value.at);
  },
};

function rowsOf({ rows }: PerformanceState, eventId: number): readonly (readonly [string, Row])[] {
  return [...rows].filter(([, { forecast }]) => forecast.eventId === eventId);
}

function forget({ rows, outcomes }: PerformanceState, at: number): void {
  for (const [key, { forecast }] of rows) {
    const { eventId, endAt } = forecast;
    if (endAt < at - (outcomes.has(eventId) ? FOLLOW_MS : GIVE_UP_MS)) rows.delete(key);
  }
  for (const [eventId, { endAt }] of outcomes) if (endAt < at - KEEP_OUTCOME_MS) outcomes.delete(eventId);
}

function score(
  key: string,
  row: Row,
  outcome: Outcome,
  { seq, at, cause }: Trigger,
  emit: (output: OutputOf<'scores'>) => void,
): void {
  row.isVoid = false;
  emit({ stream: 'scores', key, seq, at, cause, record: scoreOf(row.forecast, outcome) });
}

/** Until the event has the row's window again. */
function withdraw(
  key: string,
  row: Row,
  { seq, at, cause }: Trigger,
  emit: (output: OutputOf<'scores'>) => void,
): void {
  if (row.isVoid) return;
  row.isVoid = true;
  emit({ stream: 'scores', key, seq, at, cause, record: { ...headOf(row.forecast), status: 'void' } });
}

function headOf({
  forecastId,
  eventId,
  account,
  origin,
  horizonHours,
  modelVersion,
  madeAt,
  endAt,
}: HorizonForecast) {
  return { forecastId, eventId, account, origin, horizonHours, modelVersion, madeAt, endAt };
}

function scoreOf(row: HorizonForecast, outcome: Outcome): ScoreRecord {
  const { final, wonLo } = outcome;
  const { p5, p50, p95, quantiles, paceQuantiles, ownQuantiles, buckets } = row;
  const won = winnerOf(row, final, wonLo);
  const ofBuckets = (probabilities: readonly number[]) => bucketScores(row, probabilities, won);
  const prices = buckets.flatMap(({ price }) => (price === null ? [] : [price]));
  const sum = prices.reduce((total, price) => total + price, 0);
  const isPriced = prices.length === buckets.length && sum > 0;
  return {
    ...headOf(row),
    status: 'settled',
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
