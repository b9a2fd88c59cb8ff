/** Whether a raw query has `as_of`, which is answered from the store. */
export function asksForPast(query: string): boolean {
  return /(?:^|&)as(?:_|%5[Ff])of(?:=|&|$)/.test(query);
}
