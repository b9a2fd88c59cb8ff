import type { SourceSettings } from '../../src/sources/settings.ts';
import type { WorldSize } from '../../src/world/size.ts';
import type { Model } from './simulated-workers.ts';

/** How much happens in a simulated hour. */
export type Tier = 'dense' | 'sparse';

type StaleFlag = `staleSeconds${'Posts' | 'Oracle' | 'Ui' | 'Prices' | 'Events' | 'Crypto'}`;
type PaceFlag = 'checkpointSeconds' | StaleFlag;

/** How often something is done. */
export interface Pace {
  readonly sources: Partial<SourceSettings>;
  /** Between two ticks of the engine. */
  readonly tickMs: number;
  /** Between two requests of who asks. */
  readonly askEveryMs: number;
  /** Flags of the service: when a checkpoint is due, and how old an input may be before it counts as stale. */
  readonly flags: Readonly<Partial<Record<PaceFlag, string>>>;
  /** How many times longer than usual intervals are that would be 5 s or less, besides ticks. */
  readonly slowness: { readonly engine: number; readonly world: number };
}

interface TierSettings {
  /** Flags of the service. */
  readonly flags: Readonly<Record<string, string>>;
  readonly world: WorldSize;
  readonly model: Model;
  readonly pace: Pace;
  /** In hours without faults. An engine that is to have it, or to have the other one again, is killed and started. */
  readonly calmPace: Pace;
  /** How many times more seldom than usual somebody buys or claims something in hours with faults. */
  readonly badSlowness: number;
  /** The same of hours without. */
  readonly calmSlowness: number;
}

const SECOND_MS = 1_000;

const USUAL_PACE: Pace = {
  sources: {},
  flags: { checkpointSeconds: '120' },
  tickMs: SECOND_MS,
  askEveryMs: 2 * SECOND_MS,
  slowness: { engine: 1, world: 1 },
};

/** The usual periods, a history that is long enough for forecasts, and events that overlap. */
const DENSE: TierSettings = {
  flags: { historyDays: '15' },
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
  badSlowness: 1,
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
    uiPeriodMs: 299_300,
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
  flags: {
    checkpointSeconds: '600',
    staleSecondsPosts: '360',
    staleSecondsOracle: '1800',
    staleSecondsUi: '1800',
    staleSecondsPrices: '1200',
    staleSecondsEvents: '1800',
    staleSecondsCrypto: '600',
  },
  askEveryMs: 120_000,
  slowness: { engine: 1, world: 60 },
};

/** So seldom that hours without faults take little time, and every input stays younger than it may be. */
const CALM: Pace = {
  sources: {
    postsPeriodMs: 1_800_000,
    postsRecheckPeriodMs: 7_199_000,
    listPeriodMs: 7_203_000,
    timelineLookPeriodMs: 1_800_000,
    deletionsPeriodMs: 7_140_000,
    trackingsPeriodMs: 3_601_700,
    oraclePeriodMs: 3_601_300,
    oraclePastPeriodMs: 7_200_000,
    eventsPeriodMs: 3_601_100,
    closedEventsPeriodMs: 7_200_000,
    cryptoEventsPeriodMs: 7_201_100,
    settledPeriodMs: 3_600_000,
    uiPeriodMs: 3_601_900,
    uiFirstPeriodMs: 1_800_000,
    subscriptionsPeriodMs: 1_800_000,
    socketPingPeriodMs: 2_400_000,
    pricesFlushPeriodMs: 1_800_000,
    pricesSilentMs: 7_200_000,
    booksPeriodMs: 7_200_100,
    spotPeriodMs: 1_800_000,
    spotSilentMs: 7_200_000,
  },
  flags: {
    checkpointSeconds: '7200',
    staleSecondsPosts: '7200',
    staleSecondsOracle: '14400',
    staleSecondsUi: '14400',
    staleSecondsPrices: '14400',
    staleSecondsEvents: '14400',
    staleSecondsCrypto: '14400',
  },
  tickMs: 600 * SECOND_MS,
  askEveryMs: 3_600_000,
  slowness: { engine: 60, world: 1_800 },
};

/** A small world that is asked seldom, so that days pass quickly. */
const SPARSE: TierSettings = {
  flags: { historyDays: '2' },
  world: {
    historyDays: 2,
    hasSilences: true,
    settledDays: 0,
    series: ['two-days'],
    buckets: 4,
    priceEvents: 'none',
    bookPeriodMs: SECOND_MS,
    spotPeriodMs: SECOND_MS,
  },
  model: 'cheap',
  pace: SELDOM,
  calmPace: CALM,
  badSlowness: 3,
  calmSlowness: 300,
};

export const TIERS: Readonly<Record<Tier, TierSettings>> = { dense: DENSE, sparse: SPARSE };

/** The typed client expects a tick each second, so that its clock runs as much slower as ticks are apart. */
export function readerSlowness({ tickMs }: Pace): number {
  return tickMs / SECOND_MS;
}

/** Frames that are sent with a tick, or because of what came with it, have come after this. */
export function shownMs({ slowness }: Pace): number {
  return (4 + 2 * slowness.engine) * SECOND_MS;
}

/** Frames follow a change within this time: some are sent with the next tick. */
export function followingMs(pace: Pace): number {
  return pace.tickMs + shownMs(pace);
}
