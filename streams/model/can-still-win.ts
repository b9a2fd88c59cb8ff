/**
 * Whether the count that settles can still fall into a bucket. The oracle's count only grows, so a bucket is lost once
 * that count is above it; our own count decides nothing. `hi` is null for no upper bound, `oracle` while it is unknown.
 */
export function canStillWin({ hi }: { readonly hi: number | null }, oracle: number | null): boolean {
  return hi === null || oracle === null || hi >= oracle;
}
