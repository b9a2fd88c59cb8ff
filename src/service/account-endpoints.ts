import type { AccountConfig } from '../config/accounts.ts';
import { firstNames } from '../contract/first-names.ts';
import { StartError } from '../errors.ts';
import type { AccountEndpoint } from '../sources/endpoints.ts';

type ConfiguredAccount = Pick<AccountConfig, 'id' | 'provider'>;

/**
 * How the outside world knows each configured account: what its entry says, and otherwise what the world says of the
 * account with its handle, or without a handle with its id. Throws one StartError with every account that remains
 * unknown, or else one with all that two accounts share: each post or event would be only one of theirs.
 */
export function accountEndpoints(
  accounts: readonly ConfiguredAccount[],
  known: readonly AccountEndpoint[],
): readonly AccountEndpoint[] {
  const faults: string[] = [];
  const endpoints = accounts.flatMap((account) => {
    const endpoint = sketchOf(account, known);
    const missing = NEEDED.filter((key) => endpoint[key] === undefined);
    if (missing.length > 0) faults.push(`account ${account.id} has no ${missing.join(', ')}`);
    return isWhole(endpoint) ? [endpoint] : [];
  });
  if (faults.length > 0) {
    const names = known.map(({ id, handle }) => `${id} (${handle})`);
    throw new StartError('START_UNKNOWN_ACCOUNT', `${faults.join('; ')}; the world has ${firstNames(names)}`);
  }
  const shared = sharedBy(endpoints);
  if (shared.length > 0) throw new StartError('START_SHARED_ACCOUNT', shared.join('; '));
  return endpoints;
}

/** As much as its entry and the world say of an account. */
export function sketchOf(account: ConfiguredAccount, known: readonly AccountEndpoint[]) {
  return { userId: null, ...foundIn(known, account), ...given(account), id: account.id };
}

/** A sentence for each account that has something of an earlier one. */
function sharedBy(endpoints: readonly AccountEndpoint[]): readonly string[] {
  const seen = new Map<string, string>();
  return endpoints.flatMap((endpoint) => {
    for (const { name, key } of ownedBy(endpoint)) {
      const other = seen.get(key);
      if (other !== undefined) return [`account ${endpoint.id} has the ${name} of account ${other}`];
    }
    for (const { key } of ownedBy(endpoint)) seen.set(key, endpoint.id);
    return [];
  });
}

/** What tells whose a post or an event is. The same handle may be that of others on another platform; its case makes no difference. */
function ownedBy({ platform, handle, userId, seriesSlugs, slugPrefixes }: AccountEndpoint) {
  const owned = (what: string, value: string) => ({ name: `${what} ${value}`, key: `${what} ${value}` });
  return [
    { name: `handle ${handle}`, key: `handle ${platform} ${handle.toLowerCase()}` },
    ...(userId === null ? [] : [{ name: `user id ${userId}`, key: `user ${platform} ${userId}` }]),
    ...seriesSlugs.map((slug) => owned('series', slug)),
    ...slugPrefixes.map((prefix) => owned('slug prefix', prefix)),
  ];
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
