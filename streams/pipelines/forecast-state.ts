import { DAY_MS } from '../model/durations.ts';
import type { ClosedForecast, MadeForecast } from '../model/forecast/bias.ts';
import type { ModelParams } from '../model/forecast/params.ts';
import type { CountRange } from '../model/forecast/simulate.ts';
import {
  type DeletedPost,
  NONE_SETTLED,
  type OracleView,
  type SettledPosts,
  type SettlementFacts,
} from '../model/settlement.ts';
import { countBetween } from '../model/sorted-times.ts';
import { TimeList } from '../model/time-list.ts';
import { windowId } from '../model/window-id.ts';
import {
  type AccountId,
  type AccountPrior,
  limitsOf,
  type PostsVia,
  priorOf,
  type SettingsFact,
  viaOf,
} from '../observation.ts';
import type { Cause, EventRecord, ModelRequest, Percentiles, Prediction, Trigger } from '../records.ts';
import type { Message, Outcome } from './messages.ts';

/** The fit looks back two years, and its features need some time before that. */
const KEEP_MS = 800 * DAY_MS;

/** The part of an event that its forecast depends on. */
export interface Target {
  readonly eventId: number;
  readonly startAt: number | null;
  readonly endAt: number;
  readonly phase: EventRecord['phase'];
  readonly trackingId: string | null;
  /** Empty unless the buckets are a partition: other probabilities would not add up to 1. */
  readonly ranges: readonly CountRange[];
  /** The id of window and ranges. */
  readonly window: string;
  /** Lower bound of the bucket that the market names as the winner; it identifies a bucket of a partition. */
  readonly wonLo: number | null;
}

/** A request to the model, made by the observation `seq` at `at`. */
export interface Asked {
  readonly seq: number;
  readonly at: number;
  isAnswered: boolean;
}

/** The forecasts of an event that have a row in the ledger, by the id of the window they were made for. */
export type MadeByWindow = ReadonlyMap<string, readonly MadeForecast[]>;

export interface OpenEvent {
  target: Target;
  /** Why a new forecast is due before the minute is over. */
  reason: Cause | null;
  asked: (Asked & { readonly params: ModelParams }) | null;
  /** The newest forecast and its inputs, to explain how the next one differs. */
  previous: Extract<ModelRequest, { type: 'forecast' }>['previous'];
  made: MadeByWindow;
}

/** An event whose window is over or that the market has closed. */
export interface PastEvent {
  target: Target;
  made: MadeByWindow;
  outcome: Outcome | null;
  /** How our own count differed from the oracle's; null where one of them is not known or was not counted live. */
  settled: SettledPosts | null;
}

/** The oracle's total of a window, when it was read, and when the reading or answer came that changed it. UTC ms. */
interface OracleTotal {
  readonly total: number;
  readonly readAt: number | null;
  readonly changedAt: number;
}

export interface ForecastState {
  staleAfterMs: number;
  isStale: boolean;
  postsVia: PostsVia;
  /** Absent when nothing is known of the account beside its posts. */
  prior?: AccountPrior;
  coveredFrom: number | null;
  /** Creation times of counted posts, ascending. */
  readonly countedAt: TimeList;
  /** Creation times of posts of every kind, ascending, as far back as all kinds are known and matter. */
  readonly postedAt: TimeList;
  /** From here on posts were followed live. Earlier ones may come from the oracle's own list, and differ from it in nothing. */
  readonly followedFrom: number;
  /** Counted posts that were found deleted, in the order of their creation. */
  deleted: readonly DeletedPost[];
  /** The oracle's totals by tracking, when it last answered (UTC ms), and how long it takes to count a post. */
  readonly totals: Map<string, OracleTotal>;
  oracleAnsweredAt: number;
  /** The same of totals that it last answered much earlier, by tracking. */
  laggingAnsweredAt: Readonly<Record<string, number>>;
  oracleLag: Percentiles | null;
  fit: {
    readonly params: ModelParams;
    readonly askedSeq: number;
    readonly at: number;
    readonly fromAt: number;
  } | null;
  fitAsked: (Asked & { readonly fromAt: number }) | null;
  readonly open: Map<number, OpenEvent>;
  readonly past: Map<number, PastEvent>;
  /** Requests about the past by `<event>@<hours>`, with the window that was asked about. */
  readonly historyAsked: Map<string, Asked & { readonly window: string }>;
  /** Without news, no live forecast is due between these times. UTC ms. */
  livePausedAt: number;
  livePausedUntil: number;
  /** Whether a fact has come that may settle an event, or make a forecast of the past possible. */
  mayHaveSettled: boolean;
  mayHaveHistory: boolean;
  /** When the clock alone next settles an event. UTC ms. */
  settlesAt: number;
}

/** The observation being handled, and where to emit. */
export interface Turn extends Trigger {
  readonly account: AccountId;
  /** Whether requests are emitted. The state is the same if they are not. */
  readonly isAsking: boolean;
  readonly emit: (message: Message<'request' | 'outcome'>) => void;
}

export function emptyForecastState(settings: SettingsFact, account: AccountId, at: number): ForecastState {
  return {
    staleAfterMs: limitsOf(settings, account).posts,
    isStale: true,
    postsVia: viaOf(settings, account),
    ...priorOf(settings, account),
    coveredFrom: null,
    countedAt: new TimeList(),
    postedAt: new TimeList(),
    followedFrom: at,
    deleted: [],
    totals: new Map(),
    oracleAnsweredAt: 0,
    laggingAnsweredAt: {},
    oracleLag: null,
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

/** The time from which on the counted posts are known without a gap, within the time they are kept. */
export function historyFrom({ coveredFrom }: ForecastState, at: number): number | null {
  return coveredFrom === null ? null : Math.max(coveredFrom, keptFrom(at));
}

/** Our own count of a span, or null when a part of it is unknown. */
export function ownCount(
  { coveredFrom, countedAt }: ForecastState,
  fromAt: number,
  toAt: number,
): number | null {
  return coveredFrom !== null && coveredFrom <= fromAt ? countBetween(countedAt.times, fromAt, toAt) : null;
}

/** What the settled count of a window depends on besides our own posts. */
export function settlementFacts(
  state: ForecastState,
  { trackingId, startAt, endAt }: Target & { readonly startAt: number },
): SettlementFacts {
  return {
    oracle: oracleView(state, trackingId),
    lag: state.oracleLag,
    deleted: deletedBetween(state, startAt, endAt),
    closed: closedPosts(state),
  };
}

function oracleView(
  { totals, oracleAnsweredAt, laggingAnsweredAt }: ForecastState,
  trackingId: string | null,
): OracleView | null {
  const known = trackingId === null ? undefined : totals.get(trackingId);
  if (trackingId === null || known === undefined) return null;
  const { total, readAt, changedAt } = known;
  const answeredAt = laggingAnsweredAt[trackingId] ?? oracleAnsweredAt;
  return { count: total, readAt, answeredAt: Math.max(answeredAt, changedAt), changedAt };
}

export function deletedBetween(
  { deleted }: ForecastState,
  fromAt: number,
  toAt: number,
): readonly DeletedPost[] {
  return deleted.filter(({ createdAt }) => fromAt <= createdAt && createdAt < toAt);
}

/** The record of all closed events that were followed live. */
function closedPosts({ past }: ForecastState): SettledPosts {
  let sum = NONE_SETTLED;
  for (const { settled } of past.values()) {
    if (settled === null) continue;
    sum = {
      posts: sum.posts + settled.posts,
      deleted: sum.deleted + settled.deleted,
      lost: sum.lost + settled.lost,
      extra: sum.extra + settled.extra,
    };
  }
  return sum;
}

/** Forecasts of the events that have an outcome, ordered by close. */
export function closedForecasts({ past }: ForecastState): readonly ClosedForecast[] {
  return [...past.values()]
    .sort((a, b) => a.target.endAt - b.target.endAt || a.target.eventId - b.target.eventId)
    .flatMap(({ target, made, outcome }) =>
      outcome === null
        ? []
        : madeFor(target, made).map((forecast) => ({ ...forecast, final: outcome.final })),
    );
}

export function madeFor({ window }: Target, made: MadeByWindow): readonly MadeForecast[] {
  return made.get(window) ?? [];
}

/** Whether an answer may still come. After the clock was set back by more than the patience, none is awaited. */
export function isAwaited(asked: Asked | null | undefined, at: number, patienceMs: number): boolean {
  return asked != null && !asked.isAnswered && Math.abs(at - asked.at) < patienceMs;
}

export function targetOf(event: EventRecord): Target {
  const { eventId, startAt, endAt, phase, trackingId, buckets, isPartition } = event;
  const ranges = isPartition ? rangesOf(buckets) : [];
  return {
    eventId,
    startAt,
    endAt,
    phase,
    trackingId,
    ranges,
    window: windowId({ startAt, endAt, ranges }),
    wonLo: buckets.find(({ won }) => won)?.lo ?? null,
  };
}

/** The id of the window that a row of the ledger was made for. */
export function windowOf({ startAt, endAt, buckets }: Prediction): string {
  return windowId({ startAt, endAt, ranges: buckets });
}

/** Whether an outcome is still valid: the market may have opened the event again, changed it or named another winner. */
export function isOutcomeOf({ phase, window, wonLo }: Target, outcome: Outcome): boolean {
  return phase === 'closed' && outcome.window === window && outcome.wonLo === wonLo;
}

/** Every bucket of a partition has a lower bound. */
export function rangesOf(buckets: EventRecord['buckets']): readonly CountRange[] {
  return buckets.flatMap(({ lo, hi }) => (lo === null ? [] : [{ lo, hi }]));
}
