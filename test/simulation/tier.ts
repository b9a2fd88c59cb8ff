import type { SourceSettings } from '../../src/sources/settings.ts';
import { USUAL_SIZE, type WorldSize } from '../../src/world/size.ts';
import type { Model } from './simulated-workers.ts';

/** How much happens in a simulated hour. */
export type Tier = 'dense' | 'sparse';

interface TierSettings {
  /** Flags of the service. */
  readonly flags: Readonly<Record<string, string>>;
  readonly sources: Partial<SourceSettings>;
  readonly world: WorldSize;
  readonly model: Model;
  /** Between two ticks of the engine. */
  readonly tickMs: number;
  /** Between two requests of who asks. */
  readonly askEveryMs: number;
}

const SECOND_MS = 1_000;

/** The usual periods, and a history that is long enough for forecasts. */
const DENSE: TierSettings = {
  flags: { historyDays: '15', checkpointSeconds: '60' },
  sources: {},
  world: USUAL_SIZE,
  model: 'real',
  tickMs: SECOND_MS,
  askEveryMs: 2_000,
};

/** A small world that is asked seldom, so that days pass quickly. */
const SPARSE: TierSettings = {
  flags: {
    historyDays: '2',
    checkpointSeconds: '600',
    staleSecondsPosts: '180',
    staleSecondsPrices: '900',
    staleSecondsUi: '900',
    staleSecondsEvents: '1800',
    staleSecondsCrypto: '600',
  },
  sources: {
    postsPeriodMs: 30_000,
    postsRecheckPeriodMs: 599_000,
    listPeriodMs: 181_000,
    deletionsPeriodMs: 240_000,
    trackingsPeriodMs: 601_700,
    oraclePeriodMs: 151_300,
    oraclePastPeriodMs: 120_000,
    eventsPeriodMs: 301_100,
    closedEventsPeriodMs: 1_800_000,
    cryptoEventsPeriodMs: 601_100,
    settledPeriodMs: 120_000,
    uiPeriodMs: 151_900,
    uiFirstPeriodMs: 60_000,
    subscriptionsPeriodMs: 60_000,
    socketPingPeriodMs: 60_000,
    pricesFlushPeriodMs: 20_000,
    pricesSilentMs: 300_000,
    booksPeriodMs: 300_100,
    spotPeriodMs: 60_000,
    spotSilentMs: 300_000,
  },
  world: {
    historyDays: 5,
    settledDays: 2,
    series: ['two-days'],
    buckets: 4,
    priceEventHours: 1,
    hasDailyPriceEvents: false,
    bookPeriodMs: 10_000,
    spotPeriodMs: 30_000,
  },
  model: 'cheap',
  tickMs: 10 * SECOND_MS,
  askEveryMs: 60_000,
};

export const TIERS: Readonly<Record<Tier, TierSettings>> = { dense: DENSE, sparse: SPARSE };

/** The typed client expects a tick each second, so that its clock runs as much slower as ticks are apart. */
export function readerSlowness(tier: Tier): number {
  return TIERS[tier].tickMs / SECOND_MS;
}
