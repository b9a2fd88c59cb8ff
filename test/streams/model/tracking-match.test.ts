import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { matchTracking } from '../../../streams/model/tracking-match.ts';
import { tracking } from '../../support/facts.ts';

const listed = { account: 'a', slug: 'seven', title: 'Seven days', startAt: DAY_MS, endAt: 8 * DAY_MS };
const window = { startAt: DAY_MS, endAt: 8 * DAY_MS };
const unnamed = tracking({ trackingId: 'unnamed', slug: null, title: 'other', ...window });

const match = (...trackings: Parameters<typeof matchTracking>[1]) => matchTracking(listed, trackings);

describe('matchTracking', () => {
  it('believes the slug before the title, and the title before the times', () => {
    const named = tracking({ trackingId: 'named', slug: 'seven', title: 'other', startAt: 0, endAt: 1 });
    const titled = tracking({
      trackingId: 'titled',
      slug: null,
      title: ' Seven days ',
      startAt: 0,
      endAt: 1,
    });
    assert.equal(match(unnamed, titled, named), named);
    assert.equal(match(unnamed, titled), titled);
    assert.equal(match(unnamed), unnamed);
  });

  it('takes no window of another account, nor one that names another event', () => {
    assert.equal(match(tracking({ ...unnamed, account: 'b' })), undefined);
    assert.equal(match(tracking({ ...unnamed, slug: 'other' })), undefined);
    assert.equal(match(tracking({ ...unnamed, slug: 'other', title: 'Seven days' })), undefined);
  });

  it('lets a window end two minutes off and start twelve hours off, no more', () => {
    const isMatch = (off: { startAt?: number; endAt?: number }) =>
      match({ ...unnamed, ...off }) !== undefined;
    for (const sign of [1, -1]) {
      assert.ok(isMatch({ endAt: window.endAt + sign * 120_000 }));
      assert.ok(!isMatch({ endAt: window.endAt + sign * 120_001 }));
      assert.ok(isMatch({ startAt: window.startAt + sign * 12 * HOUR_MS }));
      assert.ok(!isMatch({ startAt: window.startAt + sign * (12 * HOUR_MS + 1) }));
    }
  });

  it('does not match by times when the listed start is unknown', () => {
    assert.equal(matchTracking({ ...listed, startAt: null }, [unnamed]), undefined);
  });
});
