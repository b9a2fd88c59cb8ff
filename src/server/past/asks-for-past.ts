/** Whether a raw query has `as_of`, which is answered from what was stored and not from memory. */
export function asksForPast(query: string): boolean {
  return /(?:^|&)as(?:_|%5[Ff])of(?:=|&|$)/.test(query);
}
