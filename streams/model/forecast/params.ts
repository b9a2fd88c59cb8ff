import { NO_BIAS } from './bias.ts';

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
  /** Coefficients of [1, g, g^2, v, p, z] in ln phi. */
  readonly dispersion: readonly number[];
  /** What closed events have shown the expected remainder to lack: factors at each of `HORIZON_HOURS`. */
  readonly bias: readonly number[];
}

/** Averages over several accounts (MODEL 3), for one with no history of its own. */
const COLD_MEAN = [
  ...[0.01, 0.16, 0.12, 0.39, 0.19, 0.28],
  ...[-0.01, -0.05, -0.01, -0.01, -0.02, -0.02],
  ...[-0.04, -0.19],
  ...[0, 0, 0, 0],
];
const COLD_DISPERSION = [-1.75, -0.57, 0.05, 0.27, 0, 0, 0, 0, 0.15, 0.59];

export function coldStart(): ModelParams {
  return {
    version: `${MODEL}+cold`,
    fittedAt: null,
    rows: 0,
    mean: COLD_MEAN,
    dispersion: COLD_DISPERSION,
    bias: NO_BIAS,
  };
}
