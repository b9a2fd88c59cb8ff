/**
 * Whether a raw query has `as_of`, which is answered from the store. The query is read as the endpoints read it, since
 * any character of a name may be escaped; one without the name and without an escape need not be read.
 */
export function asksForPast(query: string): boolean {
  return /as_of|%/.test(query) && new URLSearchParams(query).has('as_of');
}
