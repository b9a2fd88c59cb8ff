import type { SourceSettings } from '../../src/sources/settings.ts';
import type { Model } from './simulated-workers.ts';

/** How much happens in a simulated hour. */
export type Tier = 'dense' | 'sparse';

interface TierSettings {
  /** Flags of the service. */
  readonly flags: Readonly<Record<string, string>>;
  readonly sources: Partial<SourceSettings>;
  readonly model: Model;
}

/** The usual periods, and a history that is long enough for forecasts. */
const DENSE: TierSettings = {
  flags: { historyDays: '15', checkpointSeconds: '60' },
  sources: {},
  model: 'real',
};

/** Everything is asked seldom, so that days pass quickly. */
const SPARSE: TierSettings = {
  flags: {
    historyDays: '8',
    checkpointSeconds: '600',
    staleSecondsPosts: '60',
    staleSecondsPrices: '300',
    staleSecondsEvents: '600',
    staleSecondsCrypto: '300',
  },
  sources: {
    postsPeriodMs: 10_000,
    postsRecheckPeriodMs: 299_000,
    listPeriodMs: 61_000,
    deletionsPeriodMs: 120_000,
    trackingsPeriodMs: 301_700,
    oraclePeriodMs: 61_300,
    oraclePastPeriodMs: 60_000,
    eventsPeriodMs: 121_100,
    closedEventsPeriodMs: 1_800_000,
    cryptoEventsPeriodMs: 301_100,
    settledPeriodMs: 60_000,
    uiPeriodMs: 61_900,
    uiFirstPeriodMs: 20_000,
    subscriptionsPeriodMs: 10_000,
    pricesFlushPeriodMs: 10_000,
    pricesSilentMs: 120_000,
    booksPeriodMs: 120_100,
    spotPeriodMs: 30_000,
    spotSilentMs: 120_000,
  },
  model: 'cheap',
};

export const TIERS: Readonly<Record<Tier, TierSettings>> = { dense: DENSE, sparse: SPARSE };
