/** Ids of posts are decimal text of any length: by number, without making numbers of them. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
