import assert from 'node:assert/strict';
import { parseConfig } from '../../src/config/config.ts';
import { withPolling } from '../../src/service/account-polling.ts';
import { ACCOUNT, localEndpoints } from '../support/endpoints.ts';

describe('withPolling', () => {
  const endpoints = {
    ...localEndpoints({ url: 'http://posts.invalid', socketUrl: 'ws://posts.invalid' }),
    accounts: ['a', 'b', 'c'].map((id) => ({ ...ACCOUNT, id })),
  };

  it('gives each account the intervals of its entry, and leaves the others to the setting of all', () => {
    const polling = { usualSeconds: 10, slowestSeconds: 60, nearPosts: 3, nearCloseMinutes: 30 };
    const accounts = [{ id: 'a' }, { id: 'b', polling: { fastestSeconds: 7 } }, { id: 'c', polling }];
    const config = parseConfig({ flags: { postsSeconds: '2' }, env: {}, file: { accounts } });
    assert.equal(config.posts.periodMs, 2_000);
    assert.deepEqual(
      withPolling(endpoints, config).accounts.map((account) => account.polling),
      [
        undefined,
        { fastestMs: 7_000, usualMs: 7_000, slowestMs: 7_000, nearPosts: 2, nearCloseMs: 3_600_000 },
        { fastestMs: 2_000, usualMs: 10_000, slowestMs: 60_000, nearPosts: 3, nearCloseMs: 1_800_000 },
      ],
    );
  });
});
