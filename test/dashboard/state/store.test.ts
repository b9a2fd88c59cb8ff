import assert from 'node:assert/strict';
import { createStore } from '../../../src/dashboard/state/store.ts';

describe('createStore', () => {
  it('notifies listeners once of all changes before the scheduled time', () => {
    const due: (() => void)[] = [];
    const store = createStore(['account_a'], (notify) => due.push(notify));
    let notified = 0;
    const unlisten = store.listen(() => {
      notified += 1;
    });
    store.change({ clockOffsetMs: 5 });
    store.changeAccount('account_a', { counters: [] });
    assert.deepEqual([notified, due.length], [0, 1]);
    due.pop()?.();
    assert.equal(notified, 1);
    assert.deepEqual([store.state.clockOffsetMs, store.accountOf('account_a').counters], [5, []]);
    store.change({ clockOffsetMs: 6 });
    unlisten();
    due.pop()?.();
    assert.equal(notified, 1);
  });

  it('notifies observers at once of each change, also while nothing is scheduled', () => {
    const store = createStore(['account_a'], () => undefined);
    const seen: number[] = [];
    const end = store.observe(() => seen.push(store.state.clockOffsetMs));
    store.change({ clockOffsetMs: 5 });
    store.change({ clockOffsetMs: 6 });
    end();
    store.change({ clockOffsetMs: 7 });
    assert.deepEqual(seen, [5, 6]);
  });

  it('keeps the records of accounts that stay, and drops those of others, also when they come late', () => {
    const store = createStore(['account_a', 'account_b'], () => undefined);
    store.changeAccount('account_a', { counters: [] });
    store.changeAccount('account_b', { counters: [] });
    store.follow(['account_b', 'account_c']);
    assert.deepEqual([...store.state.accounts.keys()], ['account_b', 'account_c']);
    store.changeAccount('account_a', { counters: [] });
    assert.equal(store.state.accounts.has('account_a'), false);
    assert.deepEqual(store.accountOf('account_b').counters, []);
    assert.equal(store.accountOf('account_c').counters, undefined);
  });
});
