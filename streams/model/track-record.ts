import type { Confidence } from './time-left.ts';

/** The model's scores on one settled event at one horizon. Lower scores are better. */
export interface TrackSample {
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
  readonly n: number;
  /** Share of outcomes inside p5..p95. */
  readonly coverage: number | null;
  /** Share of events that the most probable bucket won, and the mean of its probabilities. */
  readonly hitRate: number | null;
  readonly meanTopProb: number | null;
  /** Mean differences from the two rivals, and the number of events with a market score. */
  readonly againstPace: number | null;
  readonly againstMarket: number | null;
  readonly nMarket: number;
  readonly confidence: Confidence;
  /** Whether the model has been shown to be better than both rivals. */
  readonly isProven: boolean;
}

const LEAST_FOR_MEDIUM = 10;
const LEAST_FOR_HIGH = 30;
/** Fewer priced events do not allow a comparison with the market. */
const LEAST_MARKET = 30;
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
  const againstMarket = mean(market);
  const gap = Math.abs((hitRate ?? 0) - (meanTopProb ?? 0));
  const isWithin = ({ coverage: [low, high], gap: most }: typeof HIGH | typeof MEDIUM) =>
    coverage !== null && coverage >= low && coverage <= high && gap <= most;
  const isBehindMarket = market.length >= LEAST_MARKET && againstMarket !== null && againstMarket >= 0;
  return {
    n,
    coverage,
    hitRate,
    meanTopProb,
    againstPace: mean(pace),
    againstMarket,
    nMarket: market.length,
    confidence:
      n >= LEAST_FOR_HIGH && isWithin(HIGH)
        ? 'HIGH'
        : n >= LEAST_FOR_MEDIUM && isWithin(MEDIUM)
          ? 'MEDIUM'
          : 'LOW',
    isProven: n >= LEAST_FOR_MEDIUM && isBelowZero(pace) && !isBehindMarket,
  };
}

/** Whether a mean lies below 0 by more than chance explains. */
function isBelowZero(values: readonly number[]): boolean {
  const centre = mean(values) ?? 0;
  const squares = values.reduce((sum, value) => sum + (value - centre) * (value - centre), 0);
  const standardError = Math.sqrt(squares / (values.length - 1) / values.length);
  return centre + ONE_SIDED_95 * standardError < 0;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
