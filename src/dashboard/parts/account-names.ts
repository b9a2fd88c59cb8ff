import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { sourceText } from '../format.ts';

/** The names of accounts for people, by path segment. */
export const AccountNames = createContext<ReadonlyMap<string, string>>(new Map());

export function useAccountName(): (account: string) => string {
  const names = useContext(AccountNames);
  return (account) => names.get(account) ?? account;
}

export function useSourceText(): (source: string) => string {
  const nameOf = useAccountName();
  return (source) => sourceText(source, nameOf);
}
