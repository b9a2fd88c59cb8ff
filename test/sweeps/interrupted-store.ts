import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';
import { ticks } from '../support/store-records.ts';

// What is stored by a process that is killed: every row follows from how many there are, so any process can check it.

const emailAt = (place: number) => `${place}@example.test`;
const keyIdAt = (index: number) => `key${index}`;
const TURN_SIZE = 3;

export async function joinWaitlist(store: Store): Promise<void> {
  const place = [...store.waitlist.list()].length + 1;
  const entry = {
    type: 'human',
    useCase: 'a test',
    name: null,
    wallet: null,
    email: emailAt(place),
  } as const;
  const { position } = await store.waitlist.claim(entry, place);
  assert.equal(position, place);
}

export async function addKey(store: Store): Promise<void> {
  const index = store.keys.all().length;
  const state = {
    tier: 'PRO',
    name: '',
    limit: null,
    createdAt: index,
    lastUsedAt: null,
    revokedAt: null,
  } as const;
  await store.keys.put([{ id: keyIdAt(index), hash: 'ab'.repeat(32), ...state }]);
}

export async function addTurn(store: Store): Promise<void> {
  await store.journal.append(ticks(store.journal.head + 1, TURN_SIZE));
}

/** How much there is of each. */
export interface Amounts {
  readonly places: number;
  readonly keys: number;
  readonly turns: number;
}

/** Throws unless all that is there is as it was stored. */
export function amountsIn({ waitlist, keys, journal }: Store): Amounts {
  const emails = Array.from(waitlist.list(), ({ email }) => email);
  assert.deepEqual(
    emails,
    emails.map((_, index) => emailAt(index + 1)),
  );
  const ids = Array.from(keys.all(), ({ id }) => id).sort();
  assert.deepEqual(
    ids,
    ids.map((_, index) => keyIdAt(index)),
  );
  assert.deepEqual([...journal.read(1)], ticks(1, journal.head));
  return { places: emails.length, keys: ids.length, turns: journal.head / TURN_SIZE };
}
