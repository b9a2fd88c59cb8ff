/** What coefficients are believed to be before any data, and how firmly (MODEL 3, fit). */
export interface Prior {
  readonly mean: readonly number[];
  readonly precision: readonly number[];
}

const LN_015 = -1.8971199848858813;

export const MEAN_PRIOR: Prior = {
  mean: [...[0, 0.1, 0.2, 0.5, 0.2, 0.1], ...[0, 0, 0, 0, 0, 0], ...[0, 0], ...[0, 0, 0, 0]],
  precision: [...[12, 24, 24, 24, 24, 24], ...[24, 48, 48, 48, 48, 48], ...[12, 12], ...[12, 12, 12, 12]],
};

export const DISPERSION_PRIOR: Prior = {
  mean: [LN_015, -0.3, 0, 0, ...[0, 0, 0, 0], ...[0, 0]],
  precision: [3, 3, 3, 3, ...[3, 3, 3, 3], ...[3, 3]],
};
