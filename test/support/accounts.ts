import { parseConfig } from '../../src/config/config.ts';
import type { AccountPath } from '../../src/views/account-path.ts';
import { STALE_AFTER_MS } from './facts.ts';

const CONFIGURED = parseConfig({ flags: { accounts: '26' }, env: {} }).accounts;

/** An account as it is configured without a list, under `account_<id>`; `policy` changes parts of its policy. */
export function accountPath(id: string, policy: Partial<AccountPath['policy']> = {}): AccountPath {
  const account = CONFIGURED.find((each) => each.id === id);
  if (account === undefined) throw new TypeError(`no account ${id}`);
  const { segment, name } = account;
  return { id, segment, name, policy: { ...account.policy, ...policy }, staleAfterMs: STALE_AFTER_MS };
}

/** The accounts of the specification. */
export const ACCOUNTS: readonly AccountPath[] = [accountPath('a'), accountPath('b')];
