import assert from 'node:assert/strict';
import { createStore } from '../../../src/dashboard/state/store.ts';

describe('createStore', () => {
  it('tells listeners once of all that changed until they are to be told', () => {
    const due: (() => void)[] = [];
    const store = createStore(['account_a'], (tell) => due.push(tell));
    let told = 0;
    const leave = store.listen(() => {
      told += 1;
    });
    store.change({ skewMs: 5 });
    store.changeAccount('account_a', { counters: [] });
    assert.deepEqual([told, due.length], [0, 1]);
    due.pop()?.();
    assert.equal(told, 1);
    assert.deepEqual([store.state.skewMs, store.accountOf('account_a').counters], [5, []]);
    store.change({ skewMs: 6 });
    leave();
    due.pop()?.();
    assert.equal(told, 1);
  });
});
