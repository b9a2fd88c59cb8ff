import type { AccountId, PostsVia } from '../../streams/internal.ts';
import type { Fault } from '../errors.ts';
import type { AccountEndpoint } from './endpoints.ts';
import type { Polling } from './posts/poll-interval.ts';

/** What an operator says about an account. What is absent is taken from a catalogue. */
export interface WantedAccount
  extends Partial<
    Readonly<
      Pick<AccountEndpoint, 'handle' | 'oracleId' | 'platform' | 'seriesSlugs' | 'slugPrefixes' | 'postPage'>
    >
  > {
  readonly id: AccountId;
  readonly userId?: string | undefined;
  readonly postsFrom?: PostsVia | undefined;
  readonly polling?: Polling | undefined;
}

interface CompleteAccounts {
  readonly accounts: readonly AccountEndpoint[];
  /** What is missing for the others; the first part of each place is the account's id. */
  readonly faults: readonly Fault[];
}

/**
 * Completes accounts from a catalogue: by handle, or by id where there is none. One that the catalogue does not know has
 * to say where it posts and what its events are called; its id on the platform can be looked up.
 */
export function completeAccounts(
  wanted: readonly WantedAccount[],
  catalogue: readonly AccountEndpoint[],
): CompleteAccounts {
  const faults: Fault[] = [];
  const accounts = wanted.flatMap((account): readonly AccountEndpoint[] => {
    const known = catalogue.find((entry) => isMeant(entry, account));
    const { id } = account;
    const handle = account.handle ?? known?.handle;
    const platform = account.platform ?? known?.platform;
    const seriesSlugs = account.seriesSlugs ?? known?.seriesSlugs ?? [];
    const slugPrefixes = account.slugPrefixes ?? known?.slugPrefixes ?? [];
    if (handle === undefined) {
      faults.push(missing(id, 'handle', `a handle, such as ${catalogue[0]?.handle ?? 'its name'}`));
      return [];
    }
    if (platform === undefined) faults.push(missing(id, 'platform', `the platform of ${handle}`));
    if (seriesSlugs.length + slugPrefixes.length === 0) {
      faults.push(missing(id, 'seriesSlugs', `series or prefixes of slugs of the events about ${handle}`));
    }
    return [
      {
        id,
        handle,
        platform: platform ?? '',
        userId: account.userId ?? known?.userId ?? null,
        oracleId: account.oracleId ?? known?.oracleId,
        postPage: account.postPage ?? known?.postPage,
        seriesSlugs,
        slugPrefixes,
        postsFrom: account.postsFrom,
        polling: account.polling,
      },
    ];
  });
  return { accounts, faults };
}

/** Case makes no difference in handles. */
function isMeant(entry: AccountEndpoint, { id, handle }: WantedAccount): boolean {
  return handle === undefined ? entry.id === id : entry.handle.toLowerCase() === handle.toLowerCase();
}

function missing(id: AccountId, field: string, expects: string): Fault {
  return { loc: [id, field], msg: `expected ${expects}, found nothing`, type: 'missing' };
}
