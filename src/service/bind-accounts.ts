import * as z from 'zod';
import { StartError } from '../errors.ts';
import type { AccountEndpoint } from '../sources/endpoints.ts';
import type { Notes } from '../store/store.ts';

const NOTE = 'accounts';

/** The user of each account id, by the platform's number, or by the handle while that is not known. */
const BoundAccounts = z.record(z.string(), z.string());

type BoundUser = Pick<AccountEndpoint, 'id' | 'userId' | 'handle'>;

interface DataFolder {
  readonly data: string;
  readonly notes: Notes;
}

/**
 * Binds each account id to its user for the life of a data folder, whether the account stays configured or not. With two
 * people under one id, their posts would be counted together and those of the first would seem deleted.
 */
export async function bindAccounts(
  accounts: readonly BoundUser[],
  { data, notes }: DataFolder,
): Promise<void> {
  const noted = notes.get(NOTE);
  const bound = new Map(Object.entries(noted === undefined ? {} : BoundAccounts.parse(JSON.parse(noted))));
  const moved = accounts.filter((account) => {
    const user = bound.get(account.id);
    return user !== undefined && user !== account.userId && user !== handleOf(account);
  });
  if (moved.length > 0) {
    const faults = moved.map(({ id, userId, handle }) => {
      return `account ${id} was the user ${bound.get(id)} in the data folder ${data} and is now ${userId ?? 'another'} (${handle})`;
    });
    throw new StartError(
      'START_OTHER_ACCOUNT',
      `${faults.join('; ')}; give it another id, or choose another folder`,
    );
  }
  const isNews = ({ id, userId }: BoundUser) =>
    !bound.has(id) || (userId !== null && bound.get(id) !== userId);
  const news = accounts.filter(isNews);
  if (news.length === 0) return;
  for (const account of news) bound.set(account.id, account.userId ?? handleOf(account));
  await notes.set(NOTE, JSON.stringify(Object.fromEntries(bound)));
}

/** Unlike any number of a user. */
function handleOf({ handle }: BoundUser): string {
  return `@${handle.toLowerCase()}`;
}
