/** An account as the page that the server sends names it. */
export interface PageAccount {
  /** Its path segment. */
  readonly account: string;
  readonly name: string;
  /** Whether its positions are sized for a bankroll. */
  readonly sizing: boolean;
}

/** Up to so many accounts are followed and shown together; of more, one is chosen. */
const MOST_TOGETHER = 4;

/** Whether the page shows one account at a time. */
export function isOneAtATime(accounts: readonly PageAccount[]): boolean {
  return accounts.length > MOST_TOGETHER;
}

/** The path segments of the accounts that are followed and shown. */
export function shownTogether(
  accounts: readonly PageAccount[],
  chosen: string | undefined,
): readonly string[] {
  if (!isOneAtATime(accounts)) return accounts.map(({ account }) => account);
  const found = accounts.find(({ account }) => account === chosen) ?? accounts[0];
  return found === undefined ? [] : [found.account];
}

/** Accounts whose name or segment has every word of the text, in any order. */
export function accountsMatching(accounts: readonly PageAccount[], text: string): readonly PageAccount[] {
  const words = text.toLowerCase().split(/\s+/);
  return accounts.filter(({ account, name }) => {
    const searched = `${name} ${account}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** The accounts in the page's attribute. */
export function readAccounts(json: string | undefined): readonly PageAccount[] {
  // The server that sends this script writes the attribute.
  return JSON.parse(json ?? '[]') as readonly PageAccount[];
}
