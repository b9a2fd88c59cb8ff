import type { SourceSettings } from '../../src/sources/settings.ts';
import type { WorldSize } from '../../src/world/size.ts';
import type { Model } from './simulated-workers.ts';

/** How much happens in a simulated hour. */
export type Tier = 'dense' | 'sparse';

/** What decides how often the engine does something. */
interface Pace {
  /** Flags of the service. */
  readonly flags: Readonly<Record<string, string>>;
  readonly sources: Partial<SourceSettings>;
  /** Between two ticks of the engine. */
  readonly tickMs: number;
}

interface TierSettings extends Pace {
  /** The pace while it is quiet, where it ever is. */
  readonly quiet?: Pace;
  readonly world: WorldSize;
  readonly model: Model;
  /** Between two requests of who asks. */
  readonly askEveryMs: number;
}

const SECOND_MS = 1_000;

/** The usual periods, a history that is long enough for forecasts, and events that overlap. */
const DENSE: TierSettings = {
  flags: { historyDays: '15', checkpointSeconds: '120' },
  sources: {},
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
  tickMs: SECOND_MS,
  askEveryMs: 2_000,
};

const SPARSE_STALE_SECONDS = {
  staleSecondsPosts: 360,
  staleSecondsOracle: 1_800,
  staleSecondsUi: 1_800,
  staleSecondsPrices: 1_200,
  staleSecondsEvents: 1_800,
  staleSecondsCrypto: 600,
};

const SPARSE_SOURCES: Partial<SourceSettings> = {
  postsPeriodMs: 90_000,
  postsRecheckPeriodMs: 1_799_000,
  listPeriodMs: 601_000,
  timelineLookPeriodMs: 30_000,
  deletionsPeriodMs: 480_000,
  trackingsPeriodMs: 1_201_700,
  oraclePeriodMs: 301_300,
  oraclePastPeriodMs: 300_000,
  eventsPeriodMs: 601_100,
  closedEventsPeriodMs: 1_800_000,
  cryptoEventsPeriodMs: 1_201_100,
  settledPeriodMs: 300_000,
  uiPeriodMs: 451_900,
  uiFirstPeriodMs: 30_000,
  subscriptionsPeriodMs: 60_000,
  socketPingPeriodMs: 120_000,
  pricesFlushPeriodMs: 60_000,
  pricesSilentMs: 300_000,
  booksPeriodMs: 600_100,
  spotPeriodMs: 45_000,
  spotSilentMs: 300_000,
};

/** How many times more seldom everything is done while it is quiet. */
const QUIETER = 12;

function timesQuieter<T extends object>(values: T): T {
  const longer = Object.entries(values).map(([name, value]) => [name, Number(value) * QUIETER]);
  return { ...values, ...Object.fromEntries(longer) };
}

function flagsOf(seconds: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, String(value)]));
}

/** A small world that is asked seldom, so that days pass quickly. */
const SPARSE: TierSettings = {
  flags: { historyDays: '2', checkpointSeconds: '600', ...flagsOf(SPARSE_STALE_SECONDS) },
  sources: SPARSE_SOURCES,
  quiet: {
    flags: {
      historyDays: '2',
      checkpointSeconds: '7200',
      ...flagsOf(timesQuieter(SPARSE_STALE_SECONDS)),
    },
    sources: timesQuieter(SPARSE_SOURCES),
    tickMs: 10 * 60 * SECOND_MS,
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
  tickMs: 30 * SECOND_MS,
  askEveryMs: 120_000,
};

export const TIERS: Readonly<Record<Tier, TierSettings>> = { dense: DENSE, sparse: SPARSE };

/** The typed client expects a tick each second, so that its clock runs as much slower as ticks are apart. */
export function readerSlowness(tier: Tier): number {
  return TIERS[tier].tickMs / SECOND_MS;
}

/** The pace of a tier. */
export function paceOf(tier: Tier, isQuiet: boolean): Pace {
  return (isQuiet ? TIERS[tier].quiet : undefined) ?? TIERS[tier];
}

/** Frames follow a change within this time: some are sent with the next tick. */
export function followingMs(tier: Tier, isQuiet = false): number {
  return paceOf(tier, isQuiet).tickMs + 5 * SECOND_MS;
}
