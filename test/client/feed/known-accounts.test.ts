import assert from 'node:assert/strict';
import { firstValueFrom } from 'rxjs';
import { TallywireError } from '../../../src/client/error.ts';
import { knownAccounts } from '../../../src/client/feed/known-accounts.ts';
import { marbles } from '../../support/marbles.ts';

const refusal = (status: number, code: string) => new TallywireError({ status, code, detail: code });
const AT_ONCE = { reconnect: { minMs: 0, maxMs: 0 }, random: () => 0 };

describe('knownAccounts', () => {
  it('are those that were given, without a question', () => {
    marbles(({ expectObservable }) => {
      const loadAccounts = () => assert.fail('nobody is asked');
      expectObservable(knownAccounts({ accounts: ['x'], loadAccounts })).toBe('(a|)', { a: ['x'] });
    });
  });

  it('are asked for once, however many need them', async () => {
    let asked = 0;
    const known = knownAccounts({
      accounts: undefined,
      loadAccounts: async () => {
        asked += 1;
        return ['a', 'b'];
      },
    });
    assert.equal(asked, 0);
    assert.deepEqual(await Promise.all([firstValueFrom(known), firstValueFrom(known)]), [
      ['a', 'b'],
      ['a', 'b'],
    ]);
    assert.deepEqual([await firstValueFrom(known), asked], [['a', 'b'], 1]);
  });

  it('are asked for again while the service does not answer, or cannot', async () => {
    const failures = [refusal(0, 'network'), refusal(503, 'stopping'), refusal(429, 'too_much_traffic')];
    const loadAccounts = async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return ['a'];
    };
    assert.deepEqual(await firstValueFrom(knownAccounts({ accounts: undefined, loadAccounts, ...AT_ONCE })), [
      'a',
    ]);
    assert.deepEqual(failures, []);
  });

  it('fail when the service refuses', async () => {
    const loadAccounts = async () => {
      throw refusal(401, 'key_invalid');
    };
    const known = knownAccounts({ accounts: undefined, loadAccounts, ...AT_ONCE });
    await assert.rejects(firstValueFrom(known), { code: 'key_invalid' });
  });
});
