/** What coefficients are believed to be before any data, and how firmly (MODEL 3, fit). */
export interface Prior {
  readonly mean: readonly number[];
  readonly precision: readonly number[];
}

/**
 * Averages over twelve accounts, each fitted to all of its history by itself, and how little they differ between
 * accounts: what is alike in all of them is held firmly, what is a habit of each (sleep, bursts, the spread) loosely.
 * They are the coefficients of an account without a history, too.
 */
export const MEAN_PRIOR: Prior = {
  mean: [
    ...[0.04, 0.28, -0.08, 0.37, 0.66, 0.75],
    ...[0.01, -0.08, 0, -0.03, -0.03, 0.08],
    ...[0.13, -0.15],
    ...[-0.12, 0.05, -0.06, 0],
  ],
  precision: [
    ...[4_000, 960, 100, 165, 100, 100],
    ...[4_000, 4_000, 820, 1_460, 800, 2_350],
    ...[40, 117],
    ...[210, 440, 800, 12],
  ],
};

export const DISPERSION_PRIOR: Prior = {
  mean: [-1.85, -0.41, 0, 0.44, ...[0.83, -0.6, 0.16, 0], ...[0.3, 1.02], ...[-0.17, 0.48, 0.26, 0.53]],
  precision: [6, 70, 400, 23, ...[5, 4.5, 17, 3], ...[4, 9], ...[53, 18, 5, 5]],
};
