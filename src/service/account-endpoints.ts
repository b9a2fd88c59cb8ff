import type { AccountConfig } from '../config/accounts.ts';
import { firstNames } from '../contract/first-names.ts';
import { StartError } from '../errors.ts';
import type { AccountEndpoint } from '../sources/endpoints.ts';

type ConfiguredAccount = Pick<AccountConfig, 'id' | 'provider'>;

/**
 * How the outside world knows each configured account: what its entry says, and otherwise what the world says of the
 * account with its handle, or without a handle with its id. Throws one StartError with every account that remains
 * unknown.
 */
export function accountEndpoints(
  accounts: readonly ConfiguredAccount[],
  known: readonly AccountEndpoint[],
): readonly AccountEndpoint[] {
  const faults: string[] = [];
  const endpoints = accounts.flatMap((account) => {
    const endpoint = { userId: null, ...foundIn(known, account), ...given(account), id: account.id };
    const missing = NEEDED.filter((key) => endpoint[key] === undefined);
    if (missing.length > 0) faults.push(`account ${account.id} has no ${missing.join(', ')}`);
    return isWhole(endpoint) ? [endpoint] : [];
  });
  if (faults.length === 0) return endpoints;
  const names = known.map(({ id, handle }) => `${id} (${handle})`);
  throw new StartError('START_UNKNOWN_ACCOUNT', `${faults.join('; ')}; the world has ${firstNames(names)}`);
}

const NEEDED = ['handle', 'platform', 'seriesSlugs', 'slugPrefixes'] as const;

function foundIn(known: readonly AccountEndpoint[], { id, provider }: ConfiguredAccount) {
  const handle = provider.handle?.toLowerCase();
  return known.find((each) => (handle === undefined ? each.id === id : each.handle.toLowerCase() === handle));
}

/** An account whose events are found in one way need not be found in the other. */
function given({ provider }: ConfiguredAccount): Partial<AccountEndpoint> {
  const { seriesSlugs, slugPrefixes, ...rest } = provider;
  const events =
    seriesSlugs === undefined && slugPrefixes === undefined
      ? {}
      : { seriesSlugs: seriesSlugs ?? [], slugPrefixes: slugPrefixes ?? [] };
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...events,
  };
}

function isWhole(endpoint: Partial<AccountEndpoint>): endpoint is AccountEndpoint {
  return NEEDED.every((key) => endpoint[key] !== undefined);
}
