import { DAY_MS } from '../model/durations.ts';
import type { ClosedForecast, MadeForecast } from '../model/forecast/bias.ts';
import type { ModelParams } from '../model/forecast/params.ts';
import type { CountRange } from '../model/forecast/simulate.ts';
import { isSame } from '../model/is-same.ts';
import { countBetween } from '../model/sorted-times.ts';
import type { AccountId } from '../observation.ts';
import type { Cause, EventRecord, ModelRequest, Trigger } from '../records.ts';
import type { Message, Outcome } from './messages.ts';

/** The state of an account: when to forecast, and from what. */

/** The fit looks back two years; a quarter of slack for what its features need before. */
const KEEP_MS = 800 * DAY_MS;

/** The part of an event that its forecast depends on. */
export interface Target {
  readonly eventId: number;
  readonly startAt: number | null;
  readonly endAt: number;
  readonly phase: EventRecord['phase'];
  readonly trackingId: string | null;
  /** Empty unless they are a partition: probabilities of anything else do not add up. */
  readonly ranges: readonly CountRange[];
  /** Where the bucket begins that has won according to the market: no two of a partition begin alike. */
  readonly wonLo: number | null;
}

/** A request to the model, made by the observation `seq` at `at`. */
export interface Asked {
  readonly seq: number;
  readonly at: number;
  isAnswered: boolean;
}

export interface OpenEvent {
  target: Target;
  /** Why a new forecast is wanted before its minute is over. */
  reason: Cause | null;
  asked: (Asked & { readonly params: ModelParams }) | null;
  /** The inputs of the newest forecast, to tell what moved the next one. */
  previous: Extract<ModelRequest, { type: 'forecast' }>['previous'];
  /** Horizons that have a row in the ledger. */
  rows: readonly number[];
  /** Their forecasts. */
  made: readonly MadeForecast[];
}

/** An event whose window is over or that the market has closed. */
export interface PastEvent {
  target: Target;
  rows: readonly number[];
  made: readonly MadeForecast[];
  outcome: Outcome | null;
}

export interface ForecastState {
  staleAfterMs: number;
  isStale: boolean;
  coveredFrom: number | null;
  /** Creation times of counted posts, ascending. */
  readonly countedAt: number[];
  /** The oracle's totals by tracking. */
  readonly totals: Map<string, number>;
  fit: {
    readonly params: ModelParams;
    readonly askedSeq: number;
    readonly at: number;
    readonly fromAt: number;
  } | null;
  fitAsked: (Asked & { readonly fromAt: number }) | null;
  readonly open: Map<number, OpenEvent>;
  readonly past: Map<number, PastEvent>;
  /** Requests about the past by `<event>@<hours>`. */
  readonly historyAsked: Map<string, Asked>;
  /** While the time is between these and there is no news, no live forecast is due. UTC ms. */
  livePausedAt: number;
  livePausedUntil: number;
  /** Something has happened that may settle an event, or allow a row of the past to be made. */
  mayHaveSettled: boolean;
  mayHaveHistory: boolean;
  /** When the clock alone next settles an event. UTC ms. */
  settlesAt: number;
}

/**
 * Copies of the accounts' creation times, made once for all requests between two posts. Their memory is shared, so that
 * it is not copied again for every request that goes to another thread; it is never written to again. Not part of the
 * state: made again after a start.
 */
export type PostTimes = Map<AccountId, Float64Array>;

/** The observation being handled, and where to emit. */
export interface Turn extends Trigger {
  readonly account: AccountId;
  readonly postTimes: PostTimes;
  readonly emit: (message: Message<'request' | 'outcome'>) => void;
}

export function emptyForecastState(staleAfterMs: number): ForecastState {
  return {
    staleAfterMs,
    isStale: true,
    coveredFrom: null,
    countedAt: [],
    totals: new Map(),
    fit: null,
    fitAsked: null,
    open: new Map(),
    past: new Map(),
    historyAsked: new Map(),
    livePausedAt: 0,
    livePausedUntil: 0,
    mayHaveSettled: false,
    mayHaveHistory: false,
    settlesAt: Number.MAX_SAFE_INTEGER,
  };
}

/** Nothing older than this is kept. */
export function keptFrom(at: number): number {
  return at - KEEP_MS;
}

/** From when on the counted posts are known without a hole, as far back as they are kept. */
export function historyFrom({ coveredFrom }: ForecastState, at: number): number | null {
  return coveredFrom === null ? null : Math.max(coveredFrom, keptFrom(at));
}

/** Our own count of a span, or null where not all of it is known. */
export function ownCount(
  { coveredFrom, countedAt }: ForecastState,
  fromAt: number,
  toAt: number,
): number | null {
  return coveredFrom !== null && coveredFrom <= fromAt ? countBetween(countedAt, fromAt, toAt) : null;
}

/** Forecasts of the events that have an outcome, by their close. */
export function closedForecasts({ past }: ForecastState): readonly ClosedForecast[] {
  return [...past.values()]
    .sort((a, b) => a.target.endAt - b.target.endAt || a.target.eventId - b.target.eventId)
    .flatMap(({ made, outcome }) =>
      outcome === null ? [] : made.map((forecast) => ({ ...forecast, final: outcome.final })),
    );
}

/** Whether an answer may still come. A clock that was set back has waited as well. */
export function isAwaited(asked: Asked | null | undefined, at: number, patienceMs: number): boolean {
  return asked != null && !asked.isAnswered && Math.abs(at - asked.at) < patienceMs;
}

export function targetOf(event: EventRecord): Target {
  const { eventId, startAt, endAt, phase, trackingId, buckets, isPartition } = event;
  return {
    eventId,
    startAt,
    endAt,
    phase,
    trackingId,
    ranges: isPartition ? rangesOf(buckets) : [],
    wonLo: buckets.find(({ won }) => won)?.lo ?? null,
  };
}

/** Whether an outcome still is one of the event: not when the market has opened it again or named another winner. */
export function isOutcomeOf({ phase, endAt, wonLo }: Target, outcome: Outcome): boolean {
  return phase === 'closed' && outcome.endAt === endAt && outcome.wonLo === wonLo;
}

/** The buckets of a partition have a lower bound each. */
export function rangesOf(buckets: EventRecord['buckets']): readonly CountRange[] {
  return buckets.flatMap(({ lo, hi }) => (lo === null ? [] : [{ lo, hi }]));
}

export function isSameWindow(a: Target, b: Target): boolean {
  return a.startAt === b.startAt && a.endAt === b.endAt && isSame(a.ranges, b.ranges);
}
