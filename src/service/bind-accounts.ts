import { z } from 'zod';
import { StartError } from '../errors.ts';
import type { AccountEndpoint } from '../sources/endpoints.ts';
import type { Notes } from '../store/store.ts';

const NOTE = 'accounts';

/** The user of each account id, by the platform's number. */
const BoundAccounts = z.record(z.string(), z.string());

interface DataFolder {
  readonly data: string;
  readonly notes: Notes;
}

/**
 * Binds each account id to its user for the life of a data folder, whether the account stays configured or not. With two
 * people under one id, their posts would be counted together and those of the first would seem deleted.
 */
export async function bindAccounts(
  accounts: readonly Pick<AccountEndpoint, 'id' | 'userId' | 'handle'>[],
  { data, notes }: DataFolder,
): Promise<void> {
  const noted = notes.get(NOTE);
  const bound = new Map(Object.entries(noted === undefined ? {} : BoundAccounts.parse(JSON.parse(noted))));
  const moved = accounts.filter(({ id, userId }) => bound.has(id) && bound.get(id) !== userId);
  if (moved.length > 0) {
    const faults = moved.map(({ id, userId, handle }) => {
      return `account ${id} was the user ${bound.get(id)} in the data folder ${data} and is now ${userId} (${handle})`;
    });
    throw new StartError(
      'START_OTHER_ACCOUNT',
      `${faults.join('; ')}; give it another id, or choose another folder`,
    );
  }
  const added = accounts.filter(({ id }) => !bound.has(id));
  if (added.length === 0) return;
  for (const { id, userId } of added) bound.set(id, userId);
  await notes.set(NOTE, JSON.stringify(Object.fromEntries(bound)));
}
