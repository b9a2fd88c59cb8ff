import assert from 'node:assert/strict';
import { parseConfig } from '../../src/config/config.ts';
import { withListedLimits } from '../../src/service/listed-limits.ts';
import type { Endpoints } from '../../src/sources/endpoints.ts';
import { ACCOUNT, localEndpoints } from '../support/endpoints.ts';

describe('withListedLimits', () => {
  const local = localEndpoints({ url: 'http://posts.invalid', socketUrl: 'ws://posts.invalid' });
  const endpoints: Endpoints = {
    ...local,
    accounts: [
      { ...ACCOUNT, id: 'a' },
      { ...ACCOUNT, id: 'b', platform: 'ELSEWHERE' },
      { ...ACCOUNT, id: 'c', postsFrom: 'oracle_list' },
    ],
  };
  const limits = (accounts: readonly object[]) =>
    withListedLimits(parseConfig({ flags: {}, env: {}, file: { accounts } }), endpoints).accounts.map(
      ({ staleAfterMs }) => staleAfterMs.posts,
    );

  it('gives posts of the oracle’s list its limit, and leaves those of timelines theirs', () => {
    assert.deepEqual(limits([{ id: 'a' }, { id: 'b' }, { id: 'c' }]), [10_000, 600_000, 600_000]);
  });

  it('keeps a longer limit', () => {
    assert.deepEqual(limits([{ id: 'b', staleSeconds: { posts: 900 } }]), [900_000]);
  });
});
