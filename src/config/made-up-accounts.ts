import type { AccountId } from '../../streams/internal.ts';

export const MOST_ACCOUNTS = 1_000;

/** Made-up accounts are named like the columns of a spreadsheet: a to z, then aa, ab and so on. */
export function madeUpId(index: number): AccountId {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? '' : madeUpId(rest - 1)) + String.fromCharCode(97 + (index % 26));
}

interface AskedFor {
  readonly id: AccountId;
  readonly provider: { readonly handle?: string | undefined };
}

/** How many made-up accounts a world needs to have all of these. One with a handle is the made-up account with that handle. */
export function madeUpFor(accounts: readonly AskedFor[]): number {
  const counts = accounts.map(({ id, provider: { handle } }) => {
    return madeUpIndex(handle === undefined ? id : idOfHandle(handle)) + 1;
  });
  return Math.max(1, ...counts.filter((count) => count <= MOST_ACCOUNTS));
}

/** Empty for a handle that no made-up account has. */
function idOfHandle(handle: string): AccountId {
  const [first, id = '', last, ...rest] = handle.toLowerCase().split('_');
  return first === 'account' && last === 'handle' && rest.length === 0 ? id : '';
}

function madeUpIndex(id: AccountId): number {
  if (!/^[a-z]+$/.test(id)) return -1;
  return [...id].reduce((index, letter) => (index + 1) * 26 + letter.charCodeAt(0) - 97, -1);
}
