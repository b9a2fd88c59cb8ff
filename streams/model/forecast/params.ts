import { NO_BIAS } from './bias.ts';
import { DISPERSION_PRIOR, MEAN_PRIOR } from './prior.ts';

/** The name of the formulas. It changes when they do. */
export const MODEL = 'pool-5';

/** The fitted coefficients of an account. Plain JSON. */
export interface ModelParams {
  /** Names the formulas and this fit. */
  readonly version: string;
  /** Null for a cold start. */
  readonly fittedAt: number | null;
  /** The number of past targets in the fit. */
  readonly rows: number;
  /** Coefficients of [x, g x, z, p] in ln mu. */
  readonly mean: readonly number[];
  /** Coefficients of [1, g, g^2, v, p, z, shifts] in ln phi. */
  readonly dispersion: readonly number[];
  /** Factors that correct the expected remainder at each of `HORIZON_HOURS`, learnt from closed events. */
  readonly bias: readonly number[];
  /** Factors of the dispersion at each of `RECORD_HOURS`; absent where the account's own record asks for none. */
  readonly widening?: readonly number[];
}

/** The name of the formulas behind a version. */
export function modelOf(version: string): string {
  return version.split('+')[0] ?? version;
}

/** For an account with no history of its own. */
export function coldStart(): ModelParams {
  return {
    version: `${MODEL}+cold`,
    fittedAt: null,
    rows: 0,
    mean: MEAN_PRIOR.mean,
    dispersion: DISPERSION_PRIOR.mean,
    bias: NO_BIAS,
  };
}
