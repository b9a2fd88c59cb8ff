import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { sourceText } from '../format.ts';
import type { PageAccount } from '../state/page-account.ts';

/** The names of accounts for people. */
interface Names {
  readonly nameOf: (account: string) => string;
  readonly sourceText: (source: string) => string;
}

function namesOf(accounts: readonly PageAccount[]): Names {
  const names = new Map(accounts.map(({ account, name }) => [account, name]));
  const nameOf = (account: string) => names.get(account) ?? account;
  return { nameOf, sourceText: (source) => sourceText(source, nameOf) };
}

export const AccountNames = createContext<Names>(namesOf([]));

export function useNames(accounts: readonly PageAccount[]): Names {
  return useMemo(() => namesOf(accounts), [accounts]);
}

export function useAccountName(): (account: string) => string {
  return useContext(AccountNames).nameOf;
}

export function useSourceText(): (source: string) => string {
  return useContext(AccountNames).sourceText;
}
