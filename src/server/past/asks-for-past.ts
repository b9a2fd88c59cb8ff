/** Whether a raw query has `as_of`, which is answered from the store. */
export function asksForPast(query: string): boolean {
  // Any character of the name may be escaped.
  return query.includes('%') ? new URLSearchParams(query).has('as_of') : /(?:^|&)as_of(?:=|&|$)/.test(query);
}
