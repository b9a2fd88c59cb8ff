import { NO_BIAS } from './bias.ts';
import { DISPERSION_PRIOR, MEAN_PRIOR } from './prior.ts';

/** Name of the formulas; a change of them changes it. */
export const MODEL = 'pool-3';

/** The fitted coefficients of an account. Plain JSON. */
export interface ModelParams {
  /** Of the formulas and of this fit: what seeds the draws, together with the event. */
  readonly version: string;
  /** Null for a cold start. */
  readonly fittedAt: number | null;
  /** How many past targets were fitted to. */
  readonly rows: number;
  /** Coefficients of [x, g x, z, p] in ln mu. */
  readonly mean: readonly number[];
  /** Coefficients of [1, g, g^2, v, p, z, shifts] in ln phi. */
  readonly dispersion: readonly number[];
  /** What closed events have shown the expected remainder to lack: factors at each of `HORIZON_HOURS`. */
  readonly bias: readonly number[];
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
