import { type PageAccount, readAccounts } from './page-account.ts';

/** What the server writes into the page that it sends. */
export interface PageSettings {
  readonly accounts: readonly PageAccount[];
  readonly hasFeed: boolean;
  /** A key that anyone may use; the demo has one. */
  readonly demoKey: string | undefined;
  /** A wallet to try; the demo has one. */
  readonly demoWallet: string | undefined;
  /** Where the market shows an event: this, a slash and its slug. */
  readonly marketPages: string | undefined;
}

/** The settings in the attributes of the page's body. */
export function readSettings(data: Readonly<Record<string, string | undefined>>): PageSettings {
  const { accounts, feed, demoKey, demoWallet, marketPages } = data;
  return {
    accounts: readAccounts(accounts),
    hasFeed: feed !== 'off',
    demoKey,
    demoWallet,
    marketPages: marketPages === undefined ? undefined : decodeURIComponent(marketPages),
  };
}

/** Undefined where the page of the market is not known. */
export function marketPageOf({ marketPages }: PageSettings, slug: string): string | undefined {
  return marketPages === undefined ? undefined : `${marketPages}/${encodeURIComponent(slug)}`;
}
