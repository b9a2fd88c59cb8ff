import { DAY_MS, MINUTE_MS } from '../../streams/internal.ts';

/** Periods and limits of the sources, in ms unless the name says otherwise. */
export interface SourceSettings {
  /** For one exchange with a host that is asked often. */
  readonly timeoutMs: number;
  /** For the oracle and for long lists, which are slow at the best of times. */
  readonly slowTimeoutMs: number;
  /** How far back history is read at the first start, in days. */
  readonly historyDays: number;
  readonly postsPeriodMs: number;
  /** Between two second readings of the posts of the last two such periods. */
  readonly postsRecheckPeriodMs: number;
  /** Between two looks whether the oracle has read the account again. */
  readonly listPeriodMs: number;
  /** The oracle's list is read back in slices of this many days, with a pause between two. */
  readonly listSliceDays: number;
  readonly listPauseMs: number;
  /** How long the list waits for the timeline's history at the first start. */
  readonly listWaitMs: number;
  /** Between two looks of the list whether the timeline was read, or was read again. */
  readonly timelineLookPeriodMs: number;
  /** The shortest time between two looks whether a post is still there. */
  readonly deletionsPeriodMs: number;
  /** Older posts are not looked at. */
  readonly deletionsHorizonMs: number;
  readonly trackingsPeriodMs: number;
  readonly oraclePeriodMs: number;
  /** Between two totals of ended windows. */
  readonly oraclePastPeriodMs: number;
  readonly eventsPeriodMs: number;
  readonly closedEventsPeriodMs: number;
  readonly cryptoEventsPeriodMs: number;
  /** How soon a settled event is asked for its past prices. */
  readonly settledPeriodMs: number;
  readonly uiPeriodMs: number;
  /** How soon an event that became active is asked for the first time. */
  readonly uiFirstPeriodMs: number;
  readonly subscriptionsPeriodMs: number;
  readonly socketPingPeriodMs: number;
  readonly pricesFlushPeriodMs: number;
  readonly pricesSilentMs: number;
  readonly booksPeriodMs: number;
  readonly spotPeriodMs: number;
  readonly spotSilentMs: number;
  /** At which share of its period an account is polled, from 0 to 1. Those of many accounts are spread evenly. */
  readonly spread: number;
}

/** Long periods have no small common multiple, so that polls which begin together do not stay together. */
export const SOURCE_SETTINGS: SourceSettings = {
  timeoutMs: 2_000,
  slowTimeoutMs: 10_000,
  historyDays: 100,
  postsPeriodMs: 1_000,
  postsRecheckPeriodMs: 299_000,
  listPeriodMs: 21_000,
  listSliceDays: 7,
  listPauseMs: 300,
  listWaitMs: MINUTE_MS,
  timelineLookPeriodMs: 250,
  deletionsPeriodMs: 29_000,
  deletionsHorizonMs: DAY_MS,
  trackingsPeriodMs: 61_700,
  oraclePeriodMs: 9_700,
  oraclePastPeriodMs: 1_000,
  eventsPeriodMs: 31_100,
  closedEventsPeriodMs: 300_000,
  cryptoEventsPeriodMs: 63_100,
  settledPeriodMs: 1_000,
  uiPeriodMs: 10_300,
  uiFirstPeriodMs: 1_000,
  subscriptionsPeriodMs: 1_000,
  socketPingPeriodMs: 10_000,
  pricesFlushPeriodMs: 250,
  pricesSilentMs: 30_000,
  booksPeriodMs: 9_100,
  spotPeriodMs: 1_000,
  spotSilentMs: 15_000,
  spread: 0,
};

/** No list is read more often than this when time is sped up, in real ms. */
const SHORTEST_PERIOD_MS = 1_000;

/** The settings for a calendar that runs `speed` times as fast: periods are shorter, as far as that is bearable. */
export function atSpeed(settings: Partial<SourceSettings>, speed: number): SourceSettings {
  const all = { ...SOURCE_SETTINGS, ...settings };
  if (speed === 1) return all;
  const periods = Object.entries(all).flatMap(([name, value]) =>
    name.endsWith('PeriodMs') ? [[name, Math.min(value, Math.max(SHORTEST_PERIOD_MS, value / speed))]] : [],
  );
  return { ...all, ...Object.fromEntries(periods) };
}
