import assert from 'node:assert/strict';
import { createLatest } from '../../src/views/latest.ts';
import { createWatcher } from '../../src/views/watch.ts';
import type { Output } from '../../streams/internal.ts';
import { countersOutput, eventOutput, NOON, priceOutput, spotOutput } from '../support/outputs.ts';

const OF_A = eventOutput({ eventId: 1, subject: { type: 'posts', account: 'a' } });
const OF_B = eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } });
const OF_COIN = eventOutput({
  eventId: 7,
  subject: { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: null },
});

/** Which of the records that depend on every output are told of one: those of `a`, of `b`, of `c` and of no account. */
function toldOf(output: Output): string {
  const latest = createLatest();
  latest.load([OF_A, OF_B, OF_COIN]);
  const watcher = createWatcher(latest);
  const watches = ['a', 'b', 'c', undefined].map((account) => ({
    name: account ?? '-',
    watch: watcher.watch(() => true, account),
  }));
  latest.apply([output], 9, NOON);
  watcher.close();
  return watches
    .filter(({ watch }) => watch.changes > 0)
    .map(({ name }) => name)
    .join('');
}

describe('createWatcher', () => {
  it('tells records of what concerns their account, and those of no account of everything', () => {
    assert.equal(toldOf(countersOutput({ eventId: 1, account: 'a' })), 'a-');
    assert.equal(toldOf(OF_B), 'b-');
    assert.equal(toldOf(priceOutput({ eventId: 2 })), 'b-');
    assert.equal(toldOf(priceOutput({ eventId: 7 })), '-');
    assert.equal(toldOf(spotOutput({ symbol: 'BTC' })), '-');
  });

  it('tells both accounts of an event that was about one and is about the other', () =>
    assert.equal(
      toldOf({ ...OF_A, record: { ...OF_A.record, subject: { type: 'posts', account: 'c' } } }),
      'ac-',
    ));

  it('tells all of a price whose event is not known', () =>
    assert.equal(toldOf(priceOutput({ eventId: 404 })), 'abc-'));
});
