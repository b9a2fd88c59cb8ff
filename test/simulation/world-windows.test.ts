import assert from 'node:assert/strict';
import { accountsOf } from '../../src/world/life/accounts.ts';
import { USUAL_SIZE } from '../../src/world/size.ts';
import { START_AT } from './stage.ts';
import { createWorldWindows } from './world-windows.ts';

describe('createWorldWindows', () => {
  const HOUR_MS = 3_600_000;
  const windowsAt = createWorldWindows({
    seed: 1,
    accounts: accountsOf(1, 2),
    size: USUAL_SIZE,
    historyDays: 1,
  });

  it('tells the open windows of each account, and none that ended before the simulation', () => {
    const open = windowsAt(START_AT);
    assert.deepEqual([...new Set(open.map(({ account }) => account))], ['a', 'b']);
    assert.ok(open.every(({ startAt, endAt }) => startAt <= START_AT && START_AT < endAt));
    assert.ok(open.every(({ startAt }) => startAt >= START_AT - 24 * HOUR_MS));
  });

  it('tells one for a day after its end', () => {
    const [first] = windowsAt(START_AT).toSorted((a, b) => a.endAt - b.endAt);
    assert.ok(first);
    const isTold = (now: number) => windowsAt(now).some(({ eventId }) => eventId === first.eventId);
    assert.ok(isTold(first.endAt + 23 * HOUR_MS));
    assert.ok(!isTold(first.endAt + 24 * HOUR_MS));
  });
});
