import assert from 'node:assert/strict';
import { completeAccounts } from '../../src/sources/catalogue.ts';
import type { AccountEndpoint } from '../../src/sources/endpoints.ts';
import { pollEvery } from '../../src/sources/posts/poll-interval.ts';
import { ACCOUNT } from '../support/endpoints.ts';

const OTHER: AccountEndpoint = {
  id: 'b',
  userId: null,
  handle: 'Handle_B',
  platform: 'ELSEWHERE',
  postPage: 'https://elsewhere.invalid/{id}',
  seriesSlugs: ['account-b-weekly'],
  slugPrefixes: [],
};
const CATALOGUE = [ACCOUNT, OTHER];

describe('completeAccounts', () => {
  it('takes an account from the catalogue by its handle, whatever the id and the case are', () => {
    const { accounts, faults } = completeAccounts([{ id: 'x', handle: 'handle_b' }], CATALOGUE);
    assert.deepEqual(faults, []);
    const [account] = accounts;
    assert.deepEqual(
      [account?.id, account?.platform, account?.userId, account?.seriesSlugs, account?.postPage],
      ['x', 'ELSEWHERE', null, ['account-b-weekly'], 'https://elsewhere.invalid/{id}'],
    );
  });

  it('takes it by its id where there is no handle', () => {
    const { accounts } = completeAccounts([{ id: 'b' }, { id: 'a' }], CATALOGUE);
    assert.deepEqual(
      accounts.map(({ id, handle }) => [id, handle]),
      [
        ['b', 'Handle_B'],
        ['a', 'handle_a'],
      ],
    );
  });

  it('prefers what the operator says', () => {
    const polling = pollEvery(10_000);
    const { accounts } = completeAccounts(
      [
        {
          id: 'a',
          userId: '5000',
          oracleId: 'other_name',
          slugPrefixes: ['a-'],
          postsFrom: 'oracle_list',
          polling,
        },
      ],
      CATALOGUE,
    );
    const [{ userId, oracleId, slugPrefixes, seriesSlugs, postsFrom, polling: taken } = ACCOUNT] = accounts;
    assert.deepEqual(
      [userId, oracleId, slugPrefixes, seriesSlugs, postsFrom, taken],
      ['5000', 'other_name', ['a-'], ACCOUNT.seriesSlugs, 'oracle_list', polling],
    );
  });

  it('takes an account that the catalogue does not know, and leaves its id to be looked up', () => {
    const own = { id: 'n', handle: 'new', platform: 'X', seriesSlugs: ['new-weekly'] };
    const { accounts, faults } = completeAccounts([own], CATALOGUE);
    assert.deepEqual(faults, []);
    assert.deepEqual([accounts[0]?.userId, accounts[0]?.slugPrefixes], [null, []]);
  });

  it('tells of every account what is missing', () => {
    const { faults } = completeAccounts(
      [{ id: 'n' }, { id: 'm', handle: 'unknown' }, { id: 'a' }],
      CATALOGUE,
    );
    assert.deepEqual(
      faults.map(({ loc }) => loc.join('.')),
      ['n.handle', 'm.platform', 'm.seriesSlugs'],
    );
  });
});
