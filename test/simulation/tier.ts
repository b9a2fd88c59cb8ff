import type { SourceSettings } from '../../src/sources/settings.ts';
import type { WorldSize } from '../../src/world/size.ts';
import type { Model } from './simulated-workers.ts';

/** How much happens in a simulated hour. */
export type Tier = 'dense' | 'sparse';

/** How often something is done. */
export interface Pace {
  readonly sources: Partial<SourceSettings>;
  /** Between two ticks of the engine. */
  readonly tickMs: number;
  /** Between two requests of who asks. */
  readonly askEveryMs: number;
}

interface TierSettings {
  /** Flags of the service. */
  readonly flags: Readonly<Record<string, string>>;
  readonly world: WorldSize;
  readonly model: Model;
  readonly pace: Pace;
  /** In hours without faults. An engine that is to have it, or to have the other one again, is killed and started. */
  readonly calmPace: Pace;
  /** How many times more seldom than usual somebody buys or claims something in hours without faults. */
  readonly calmSlowness: number;
}

const SECOND_MS = 1_000;

const USUAL_PACE: Pace = { sources: {}, tickMs: SECOND_MS, askEveryMs: 2 * SECOND_MS };

/** The usual periods, a history that is long enough for forecasts, and events that overlap. */
const DENSE: TierSettings = {
  flags: { historyDays: '15', checkpointSeconds: '120' },
  world: {
    historyDays: 20,
    hasSilences: true,
    settledDays: 8,
    series: ['week-friday', 'two-days'],
    buckets: 8,
    priceEvents: 'hourly',
    bookPeriodMs: 1_000,
    spotPeriodMs: 1_000,
  },
  model: 'real',
  pace: USUAL_PACE,
  calmPace: USUAL_PACE,
  calmSlowness: 1,
};

/** What a fault changed is read again, and asked for, within the time without faults at the end of an hour. */
const SELDOM: Pace = {
  sources: {
    postsPeriodMs: 90_000,
    postsRecheckPeriodMs: 1_799_000,
    listPeriodMs: 601_000,
    timelineLookPeriodMs: 30_000,
    deletionsPeriodMs: 480_000,
    trackingsPeriodMs: 299_700,
    oraclePeriodMs: 301_300,
    oraclePastPeriodMs: 300_000,
    eventsPeriodMs: 299_900,
    closedEventsPeriodMs: 1_800_000,
    cryptoEventsPeriodMs: 1_201_100,
    settledPeriodMs: 300_000,
    uiPeriodMs: 451_900,
    uiFirstPeriodMs: 30_000,
    subscriptionsPeriodMs: 60_000,
    socketPingPeriodMs: 120_000,
    pricesFlushPeriodMs: 60_000,
    pricesSilentMs: 300_000,
    booksPeriodMs: 300_100,
    spotPeriodMs: 45_000,
    spotSilentMs: 300_000,
  },
  tickMs: 30 * SECOND_MS,
  askEveryMs: 120_000,
};

/** As seldom as can be without an input that is stale as long as nothing fails. */
const CALM: Pace = {
  sources: {
    postsPeriodMs: 180_000,
    postsRecheckPeriodMs: 3_599_000,
    listPeriodMs: 1_803_000,
    timelineLookPeriodMs: 120_000,
    deletionsPeriodMs: 1_440_000,
    trackingsPeriodMs: 1_201_700,
    oraclePeriodMs: 901_300,
    oraclePastPeriodMs: 1_200_000,
    eventsPeriodMs: 901_100,
    closedEventsPeriodMs: 1_800_000,
    cryptoEventsPeriodMs: 1_201_100,
    settledPeriodMs: 1_200_000,
    uiPeriodMs: 901_900,
    uiFirstPeriodMs: 120_000,
    subscriptionsPeriodMs: 300_000,
    socketPingPeriodMs: 480_000,
    pricesFlushPeriodMs: 300_000,
    pricesSilentMs: 900_000,
    booksPeriodMs: 600_100,
    spotPeriodMs: 180_000,
    spotSilentMs: 900_000,
  },
  tickMs: 120 * SECOND_MS,
  askEveryMs: 600_000,
};

/** A small world that is asked seldom, so that days pass quickly. */
const SPARSE: TierSettings = {
  flags: {
    historyDays: '2',
    checkpointSeconds: '600',
    staleSecondsPosts: '360',
    staleSecondsOracle: '1800',
    staleSecondsUi: '1800',
    staleSecondsPrices: '1200',
    staleSecondsEvents: '1800',
    staleSecondsCrypto: '600',
  },
  world: {
    historyDays: 2,
    hasSilences: true,
    settledDays: 0,
    series: ['two-days'],
    buckets: 4,
    priceEvents: 'none',
    bookPeriodMs: 30_000,
    spotPeriodMs: 30_000,
  },
  model: 'cheap',
  pace: SELDOM,
  calmPace: CALM,
  calmSlowness: 60,
};

export const TIERS: Readonly<Record<Tier, TierSettings>> = { dense: DENSE, sparse: SPARSE };

/** The typed client expects a tick each second, so that its clock runs as much slower as ticks are apart. */
export function readerSlowness({ tickMs }: Pace): number {
  return tickMs / SECOND_MS;
}

/** Frames follow a change within this time: some are sent with the next tick. */
export function followingMs({ tickMs }: Pace): number {
  return tickMs + 5 * SECOND_MS;
}
