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

  it('leaves the number of the user to be looked up where nobody says it', () => {
    const provider = { handle: 'h', platform: 'P', seriesSlugs: ['s'] };
    assert.deepEqual(accountEndpoints([{ id: 'c', provider }], known), [
      { id: 'c', userId: null, ...provider, slugPrefixes: [] },
    ]);
  });

  it('refuses accounts that are the same in the world, or have the same events, and names all of them', () => {
    const other = { handle: 'h', platform: 'P', seriesSlugs: ['s'] };
    const entries = [
      { id: 'a', provider: {} },
      { id: 'same', provider: { handle: 'HANDLE_A' } },
      { id: 'renamed', provider: { ...other, platform: 'X', userId: '197' } },
      { id: 'c', provider: { ...other, slugPrefixes: ['c-'] } },
      { id: 'd', provider: { ...other, handle: 'i', slugPrefixes: ['d-'] } },
      { id: 'e', provider: { ...other, platform: 'Q', seriesSlugs: ['e'], slugPrefixes: ['c-'] } },
      { id: 'f', provider: { ...other, platform: 'Q', handle: 'f', userId: '197', seriesSlugs: ['f'] } },
    ];
    assert.throws(() => accountEndpoints(entries, known), {
      code: 'START_SHARED_ACCOUNT',
      message:
        'account same has the handle HANDLE_A of account a; account renamed has the user id 197 of account a; ' +
        'account d has the series s of account c; account e has the slug prefix c- of account c',
    });
  });

  it('names every account that remains unknown, and what it lacks', () => {
    const entries = [
      { id: 'a', provider: {} },
      { id: 'c', provider: {} },
      { id: 'b', provider: { handle: 'stranger', slugPrefixes: ['s-'] } },
    ];
    assert.throws(
      () => accountEndpoints(entries, known),
      (error) => {
        assert.ok(error instanceof StartError);
        assert.equal(error.code, 'START_UNKNOWN_ACCOUNT');
        assert.equal(
          error.message,
          'account c has no handle, platform, seriesSlugs, slugPrefixes; account b has no platform; the world has a (Handle_a), b (Handle_b)',
        );
        return true;
      },
    );
  });
});
