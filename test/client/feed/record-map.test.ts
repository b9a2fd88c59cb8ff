import assert from 'node:assert/strict';
import { snapshotOf } from '../../../src/client/feed/record-map.ts';
import type { SnapshotFrame, UpdateFrame } from '../../../src/client/wire.ts';

const PLACE = { channel: 'counters', account: 'account_a', epoch: 'e', ts: 0, cause: [] } as const;

describe('snapshotOf', () => {
  it('says to a later follower that the events are not all known, as long as the server does', () => {
    const known: SnapshotFrame<'counters'> = { ...PLACE, type: 'snapshot', seq: 3, prev_seq: null, data: [] };
    assert.deepEqual(snapshotOf(new Map(), known), known);
    const unknown = { ...known, events_known: false } as const;
    assert.deepEqual(snapshotOf(new Map(), unknown), unknown);
    const update: UpdateFrame<'counters'> = {
      ...PLACE,
      type: 'update',
      seq: 4,
      prev_seq: 3,
      key: '1',
      data: null,
    };
    assert.deepEqual(snapshotOf(new Map(), update), { ...known, seq: 4 });
  });
});
