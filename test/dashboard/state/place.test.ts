import assert from 'node:assert/strict';
import { readPlace, withPlace } from '../../../src/dashboard/state/place.ts';

const PAGE = 'https://host.invalid/prefix/';

describe('the place in an address', () => {
  it('is read as it was written', () => {
    const place = { account: 'account_b', eventId: 12, horizon: 48, section: 'over-time' } as const;
    const href = withPlace(PAGE, place);
    assert.equal(href, `${PAGE}?account=account_b&event=12&horizon=48#over-time`);
    assert.deepEqual(readPlace(href), place);
  });

  it('is nowhere in an address without one, and ignores what nobody knows', () => {
    const nowhere = { account: undefined, eventId: undefined, horizon: undefined, section: undefined };
    assert.deepEqual(readPlace(PAGE), nowhere);
    assert.deepEqual(readPlace(`${PAGE}?event=x&horizon=25#elsewhere`), nowhere);
    assert.equal(withPlace(`${PAGE}?event=12#trade`, nowhere), PAGE);
  });
});
