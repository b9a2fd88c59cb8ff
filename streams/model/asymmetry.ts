/**
 * The oracle's count minus the trading page's: positive while the page lags behind the count that settles the market.
 * Null while either is unknown.
 */
export function asymmetryEdge(oracle: number | null, ui: number | null): number | null {
  return oracle === null || ui === null ? null : oracle - ui;
}
