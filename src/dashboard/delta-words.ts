/** What a delta means: how far `who` is from our own count. Positive: it is behind. */
export function deltaWords(who: string, delta: number | null): string {
  if (delta === null) return `${who} not known yet`;
  if (delta === 0) return `${who} agrees`;
  return `${who} is ${Math.abs(delta)} ${delta > 0 ? 'behind' : 'ahead'}`;
}
