interface Sides {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly last: number | null;
  readonly ui: number | null;
}

/**
 * The price of a token: the middle of the book, else the last trade, else the listing's figure. The latter two are
 * limited by the side of the book that exists, as a last trade above the best ask is outdated.
 */
export function priceOf(
  sides: Sides,
): { readonly price: number; readonly kind: 'mid' | 'last' | 'ui' } | null {
  const { bid, ask, last, ui } = sides;
  if (bid !== null && ask !== null && bid <= ask) return { price: (bid + ask) / 2, kind: 'mid' };
  if (last !== null) return { price: clamp(last, bid ?? 0, ask ?? 1), kind: 'last' };
  if (ui !== null) return { price: clamp(ui, bid ?? 0, ask ?? 1), kind: 'ui' };
  return null;
}

// A crossed book shows no price, so its sides are no limits.
function clamp(value: number, low: number, high: number): number {
  return low > high ? value : Math.min(high, Math.max(low, value));
}
