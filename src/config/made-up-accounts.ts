import type { AccountId } from '../../streams/internal.ts';

export const MOST_ACCOUNTS = 1_000;

/** Made-up accounts are named like the columns of a spreadsheet: a to z, then aa, ab and so on. */
export function madeUpId(index: number): AccountId {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? '' : madeUpId(rest - 1)) + String.fromCharCode(97 + (index % 26));
}

/** How many made-up accounts a world needs to have all of these. */
export function madeUpFor(ids: readonly AccountId[]): number {
  return Math.max(1, ...ids.map((id) => madeUpIndex(id) + 1).filter((count) => count <= MOST_ACCOUNTS));
}

function madeUpIndex(id: AccountId): number {
  if (!/^[a-z]+$/.test(id)) return -1;
  return [...id].reduce((index, letter) => (index + 1) * 26 + letter.charCodeAt(0) - 97, -1);
}
