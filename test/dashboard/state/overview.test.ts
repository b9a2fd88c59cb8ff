import assert from 'node:assert/strict';
import { arranged, neighbour, type Order, overviewRows } from '../../../src/dashboard/state/overview.ts';

function accountWith(id: number, lead: number | null, edges: readonly number[], endAt: number) {
  const event = {
    event_id: id,
    event_title: `Event ${id}`,
    real_counter: 5,
    display_delta: lead,
    end_ts: endAt,
    stale: [],
  };
  const markets = edges.map((edge, place) => ({ title: String(place), edge }));
  return { counters: [event], predictions: [{ event_id: id, markets }] };
}

const rows = overviewRows({
  accounts: new Map([
    ['a', accountWith(1, 2, [0.01, -0.2], 300)],
    ['b', accountWith(2, -7, [0.05], 200)],
    ['c', accountWith(3, null, [], 100)],
  ]),
});

describe('the overview of events', () => {
  const idsBy = (order: Order, text = '') =>
    arranged(rows, order, text, (account) => `Account ${account}`).map(({ eventId }) => eventId);

  it('knows the largest edge of each event, to either side, and its bucket', () => {
    assert.deepEqual(
      rows.map(({ edge, bucket }) => [edge, bucket]),
      [
        [-0.2, '1'],
        [0.05, '0'],
        [null, null],
      ],
    );
  });

  it('is sorted by edge, lead or time left, what is unknown last', () => {
    assert.deepEqual(idsBy('edge'), [1, 2, 3]);
    assert.deepEqual(idsBy('lead'), [2, 1, 3]);
    assert.deepEqual(idsBy('time left'), [3, 2, 1]);
  });

  it('is searched by every word', () => {
    assert.deepEqual(idsBy('edge', 'event account B'), [2]);
    assert.deepEqual(idsBy('edge', 'nobody'), []);
  });

  it('leads from each event to the next, around the ends', () => {
    assert.equal(neighbour(rows, 1, 1)?.eventId, 2);
    assert.equal(neighbour(rows, 3, 1)?.eventId, 1);
    assert.equal(neighbour(rows, 1, -1)?.eventId, 3);
    assert.equal(neighbour([], 1, 1), undefined);
  });
});
