/** The expected coefficients before any data, and the certainty about them (MODEL 3, fit). */
export interface Prior {
  readonly mean: readonly number[];
  readonly precision: readonly number[];
}

/**
 * Averages over twelve accounts, each fitted to its whole history, and how little they vary between accounts: what is
 * common to all has a high precision, individual habits (sleep, bursts, the spread) have a low one. An account without
 * a history has these coefficients.
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
