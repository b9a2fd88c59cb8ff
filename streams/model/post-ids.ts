/** Compares ids by number. They are decimal text, too long for a JavaScript number. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
