import type { Confidence } from './time-left.ts';

export type Rival = 'pace' | 'market';

/** The model's scores on one settled event at one horizon. Lower scores are better. */
export interface TrackSample {
  /** Whether the forecast was published before the outcome. If not, it was made later, from what was known at its time. */
  readonly isLive: boolean;
  readonly endAt: number;
  readonly isCovered: boolean;
  /** The probability of the most probable bucket, and whether it won. */
  readonly topProb: number;
  readonly isTopWon: boolean;
  /** The model's CRPS minus that of constant pace, in posts. */
  readonly againstPace: number;
  /** The model's log score minus the market's; null without prices. */
  readonly againstMarket: number | null;
}

export interface TrackRecord {
  /** All samples; those published at their time, those made later, and those with market prices. */
  readonly n: number;
  readonly nLive: number;
  readonly nBackfilled: number;
  readonly nMarket: number;
  /** Share of outcomes inside p5..p95. */
  readonly coverage: number | null;
  /** Share of events that the most probable bucket won, and the mean of its probabilities. */
  readonly hitRate: number | null;
  readonly meanTopProb: number | null;
  /** Mean differences from the two rivals. */
  readonly againstPace: number | null;
  readonly againstMarket: number | null;
  /** From all samples: whether the probabilities are right does not depend on when a forecast was made. */
  readonly confidence: Confidence;
  /**
   * The rivals that the model was better than by more than chance explains: constant pace over all samples, the market
   * over those that were published live beside its prices.
   */
  readonly provenAgainst: readonly Rival[];
  /** Whether that holds against the market, which is what a trade is made against. */
  readonly isProven: boolean;
}

const LEAST_FOR_MEDIUM = 10;
const LEAST_FOR_HIGH = 30;
/** Fewer events do not allow a comparison with the rival. */
export const LEAST_AGAINST: Readonly<Record<Rival, number>> = { pace: 10, market: 30 };
/** Upper 5 % point of the normal distribution: a model that is only as good passes one time in twenty. */
const ONE_SIDED_95 = 1.645;

/** Limits for the coverage of the 90 % interval, wide enough that 30 events of a sound model rarely miss them. */
const HIGH = { coverage: [0.83, 0.98], gap: 0.1 } as const;
const MEDIUM = { coverage: [0.75, 1], gap: 0.2 } as const;

/** The track record from the settled events of one account at one horizon. */
export function trackRecord(samples: readonly TrackSample[]): TrackRecord {
  const n = samples.length;
  const coverage = mean(samples.map(({ isCovered }) => Number(isCovered)));
  const hitRate = mean(samples.map(({ isTopWon }) => Number(isTopWon)));
  const meanTopProb = mean(samples.map(({ topProb }) => topProb));
  const pace = samples.map((sample) => sample.againstPace);
  const market = samples.flatMap((sample) => sample.againstMarket ?? []);
  const gap = Math.abs((hitRate ?? 0) - (meanTopProb ?? 0));
  const isWithin = ({ coverage: [low, high], gap: most }: typeof HIGH | typeof MEDIUM) =>
    coverage !== null && coverage >= low && coverage <= high && gap <= most;
  const published = samples.flatMap(({ isLive, againstMarket }) => (isLive ? (againstMarket ?? []) : []));
  const provenAgainst: readonly Rival[] = [
    ...(isBetter('pace', pace) ? (['pace'] as const) : []),
    ...(isBetter('market', published) ? (['market'] as const) : []),
  ];
  const nLive = samples.filter(({ isLive }) => isLive).length;
  return {
    n,
    nLive,
    nBackfilled: n - nLive,
    nMarket: market.length,
    coverage,
    hitRate,
    meanTopProb,
    againstPace: mean(pace),
    againstMarket: mean(market),
    confidence:
      n >= LEAST_FOR_HIGH && isWithin(HIGH)
        ? 'HIGH'
        : n >= LEAST_FOR_MEDIUM && isWithin(MEDIUM)
          ? 'MEDIUM'
          : 'LOW',
    provenAgainst,
    isProven: provenAgainst.includes('market'),
  };
}

/** Whether the mean difference from a rival lies below 0 by more than chance explains. */
function isBetter(rival: Rival, differences: readonly number[]): boolean {
  const n = differences.length;
  if (n < LEAST_AGAINST[rival]) return false;
  const centre = mean(differences) ?? 0;
  const squares = differences.reduce((sum, value) => sum + (value - centre) * (value - centre), 0);
  const standardError = Math.sqrt(squares / (n - 1) / n);
  return centre + ONE_SIDED_95 * standardError < 0;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
