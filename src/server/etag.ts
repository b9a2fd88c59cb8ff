// An entity tag, weak or not, with its quotes. The quoted text may contain commas.
const TAGS = /(?:W\/)?("[^"]*")/g;

/** Whether an `If-None-Match` header names this tag, compared weakly. `*` names every tag. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag;
  // Most callers send a single tag, so a mismatch is usually found without parsing a list.
  if (!header.includes(opaque)) return false;
  for (const [, tag] of header.matchAll(TAGS)) if (tag === opaque) return true;
  return false;
}
