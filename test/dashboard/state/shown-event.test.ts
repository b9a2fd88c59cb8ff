import assert from 'node:assert/strict';
import { type AccountState, type Counters, EMPTY_ACCOUNT } from '../../../src/dashboard/state/records.ts';
import { shownEvent } from '../../../src/dashboard/state/shown-event.ts';

function accountWith(...ids: readonly number[]): AccountState {
  return { ...EMPTY_ACCOUNT, counters: ids.map((event_id) => ({ event_id }) as Counters) };
}

const state = {
  accounts: new Map([
    ['a', accountWith(1, 2)],
    ['b', accountWith(3, 4)],
  ]),
};

describe('shownEvent', () => {
  it('is the first of all until one is chosen', () => {
    const shown = shownEvent(state, { account: undefined, eventId: undefined });
    assert.deepEqual([shown?.account, shown?.eventId, shown?.isOther], ['a', 1, false]);
  });

  it('is the chosen one, also of an account that nobody named', () => {
    const shown = shownEvent(state, { account: undefined, eventId: 4 });
    assert.deepEqual([shown?.account, shown?.eventId, shown?.isOther], ['b', 4, false]);
  });

  it('is another of the same account once the chosen one is over, and says so', () => {
    const shown = shownEvent(state, { account: 'b', eventId: 99 });
    assert.deepEqual([shown?.account, shown?.eventId, shown?.isOther], ['b', 3, true]);
  });

  it('waits for the events of the chosen account', () => {
    const accounts = new Map([...state.accounts, ['b', EMPTY_ACCOUNT] as const]);
    assert.equal(shownEvent({ accounts }, { account: 'b', eventId: 3 }), undefined);
    assert.equal(shownEvent({ accounts: new Map() }, { account: 'b', eventId: 3 }), undefined);
  });
});
