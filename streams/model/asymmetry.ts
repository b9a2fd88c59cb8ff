/**
 * The oracle's count less the trading page's: positive while the page lags behind what the market pays out on. Null
 * while either is unknown.
 */
export function asymmetryEdge(oracle: number | null, ui: number | null): number | null {
  return oracle === null || ui === null ? null : oracle - ui;
}
