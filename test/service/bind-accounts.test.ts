import assert from 'node:assert/strict';
import { bindAccounts } from '../../src/service/bind-accounts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

const user = (id: string, userId: string) => ({ id, userId, handle: `h${userId}` });

describe('bindAccounts', () => {
  it('lets accounts come and go, and keeps the user of each id', async () => {
    const folder = { data: 'here', notes: createMemoryStore().notes };
    await bindAccounts([user('a', '1'), user('b', '2')], folder);
    await bindAccounts([user('b', '2'), user('c', '3')], folder);
    await bindAccounts([user('a', '1'), user('c', '3')], folder);
    await assert.rejects(bindAccounts([user('a', '3'), user('b', '9'), user('c', '3')], folder), {
      code: 'START_OTHER_ACCOUNT',
      message:
        'account a was the user 1 in the data folder here and is now 3 (h3); ' +
        'account b was the user 2 in the data folder here and is now 9 (h9); ' +
        'give it another id, or choose another folder',
    });
    await bindAccounts([user('a', '1'), user('b', '2'), user('c', '3')], folder);
  });
});
