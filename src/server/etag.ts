// An entity tag, weak or not, with its quotes. Commas may stand inside the quotes.
const TAGS = /(?:W\/)?("[^"]*")/g;

/** Whether an `If-None-Match` header names this tag, compared weakly. `*` names every tag. */
export function namesTag(header: string, etag: string): boolean {
  if (header === etag || header.trim() === '*') return true;
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag;
  // Most callers have one tag, which is then the old one: no list to look through.
  if (!header.includes(opaque)) return false;
  for (const [, tag] of header.matchAll(TAGS)) if (tag === opaque) return true;
  return false;
}
