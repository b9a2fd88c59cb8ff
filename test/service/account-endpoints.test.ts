import assert from 'node:assert/strict';
import { StartError } from '../../src/errors.ts';
import { accountEndpoints } from '../../src/service/account-endpoints.ts';

const known = ['a', 'b'].map((id) => ({
  id,
  userId: `1${id.charCodeAt(0)}`,
  handle: `Handle_${id}`,
  platform: 'X',
  seriesSlugs: [`${id}-posts`],
  slugPrefixes: [`${id}-`],
}));
const [a, b] = known;

describe('accountEndpoints', () => {
  it('takes accounts of the world by id, in the order of the configuration, and leaves out others', () => {
    assert.deepEqual(accountEndpoints([{ id: 'b', provider: {} }], known), [b]);
    const both = [
      { id: 'b', provider: {} },
      { id: 'a', provider: {} },
    ];
    assert.deepEqual(accountEndpoints(both, known), [b, a]);
  });

  it('takes the account with the handle of an entry, whatever its id', () => {
    const entry = { id: 'someone', provider: { handle: 'handle_B', userId: undefined } };
    assert.deepEqual(accountEndpoints([entry], known), [{ ...b, id: 'someone', handle: 'handle_B' }]);
  });

  it('lets the entry win over the world', () => {
    const entry = { id: 'a', provider: { platform: 'Y', oracleId: 'o', slugPrefixes: ['other-'] } };
    assert.deepEqual(accountEndpoints([entry], known), [
      { ...a, platform: 'Y', oracleId: 'o', seriesSlugs: [], slugPrefixes: ['other-'] },
    ]);
  });

  it('needs nothing of the world for an entry that says everything', () => {
    const provider = { handle: 'h', userId: '5', platform: 'P', seriesSlugs: ['s'] };
    assert.deepEqual(accountEndpoints([{ id: 'c', provider }], known), [
      { id: 'c', ...provider, slugPrefixes: [] },
    ]);
  });

  it('names every account that remains unknown, and what it lacks', () => {
    const entries = [
      { id: 'a', provider: {} },
      { id: 'c', provider: {} },
      { id: 'b', provider: { handle: 'stranger', platform: 'X', slugPrefixes: ['s-'] } },
    ];
    assert.throws(
      () => accountEndpoints(entries, known),
      (error) => {
        assert.ok(error instanceof StartError);
        assert.equal(error.code, 'START_UNKNOWN_ACCOUNT');
        assert.equal(
          error.message,
          'account c has no userId, handle, platform, seriesSlugs, slugPrefixes; account b has no userId; the world has a (Handle_a), b (Handle_b)',
        );
        return true;
      },
    );
  });
});
