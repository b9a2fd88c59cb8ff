import assert from 'node:assert/strict';
import type { Position } from '../../../src/sources/positions/position.ts';
import { holdingsIn, isInEvents, isOpen } from '../../../src/views/portfolio/held-positions.ts';
import type { EventRecord } from '../../../streams/internal.ts';
import { bucket, eventOutput } from '../../support/outputs.ts';
import { position } from '../../support/positions.ts';

const low = bucket({ conditionId: '0xc1', marketSlug: 'event-0-19' });
const high = bucket({
  title: '20+',
  lo: 20,
  hi: null,
  conditionId: '0xc2',
  marketSlug: 'event-20plus',
  yesToken: 'yes-2',
  noToken: 'no-2',
});
const { record: event } = eventOutput({ buckets: [low, high] });
const nowhere = { conditionId: '0xff', token: '999', marketSlug: 'elsewhere' };
const found = (...positions: readonly Position[]) =>
  holdingsIn(event, positions).map(({ bucket: { title }, side }) => `${side} ${title}`);

describe('isOpen', () => {
  for (const [name, fields, expected] of [
    ['one share', { size: 1 }, true],
    ['less than one share', { size: 0.999999 }, false],
    ['nothing left after a merge', { size: 0 }, false],
    ['a side of a pair that can be merged', { isMergeable: true }, true],
    ['what can be redeemed', { isRedeemable: true }, false],
  ] as const) {
    it(`takes ${name} as ${expected ? 'open' : 'not open'}`, () => {
      assert.equal(isOpen(position(fields)), expected);
    });
  }
});

describe('isInEvents', () => {
  const unknown = { conditionId: null, token: null, marketSlug: null };
  const isIn = (names: Partial<typeof nowhere>, ...events: readonly EventRecord[]) =>
    isInEvents({ ...unknown, ...names }, events);

  for (const names of [
    { conditionId: '0xC2' },
    { token: 'yes-2' },
    { token: 'no-2' },
    { marketSlug: 'event-20plus' },
    { ...nowhere, token: 'no-1' },
  ]) {
    it(`finds ${JSON.stringify(names)} in an event that is not closed`, () => {
      assert.equal(isIn(names, event), true);
      assert.equal(isIn(names, { ...event, phase: 'upcoming' }), true);
      assert.equal(isIn(names, { ...event, phase: 'closed' }), false);
      assert.equal(isIn(names), false);
    });
  }

  it('finds neither a market of others nor one without a name', () => {
    assert.deepEqual([isIn(nowhere, event), isIn({}, event)], [false, false]);
  });
});

describe('holdingsIn', () => {
  it('finds a bucket by its condition, in either case, whatever else the row says', () => {
    assert.deepEqual(found(position({ ...nowhere, conditionId: '0xC2' })), ['Yes 20+']);
  });

  it('finds a bucket by its token', () => {
    assert.deepEqual(found(position({ ...nowhere, token: 'yes-2' })), ['Yes 20+']);
    assert.deepEqual(found(position({ ...nowhere, token: 'no-2', outcome: 'No' })), ['No 20+']);
  });

  it('finds a bucket by the slug of its market', () => {
    assert.deepEqual(found(position({ ...nowhere, marketSlug: 'event-20plus' })), ['Yes 20+']);
  });

  it('believes the condition before the token, and the token before the slug', () => {
    assert.deepEqual(found(position({ conditionId: '0xc1', token: 'yes-2', marketSlug: 'event-20plus' })), [
      'Yes 0-19',
    ]);
    assert.deepEqual(found(position({ ...nowhere, token: 'yes-2', marketSlug: 'event-0-19' })), ['Yes 20+']);
  });

  it('determines the side by the token rather than the name of the outcome', () => {
    assert.deepEqual(found(position({ conditionId: '0xc1', token: 'no-1', outcome: 'Yes' })), ['No 0-19']);
  });

  it('leaves out what belongs nowhere, has no side, or is not open', () => {
    assert.deepEqual(
      found(
        position(nowhere),
        position({ ...nowhere, eventId: 1, eventSlug: 'posts-of-a' }),
        position({ ...nowhere, conditionId: '0xc1', outcome: 'Up' }),
        position({ conditionId: '0xc1', isRedeemable: true }),
        position({ conditionId: '0xc1', size: 0.5 }),
      ),
      [],
    );
  });

  it('lists in the order of the buckets, Yes before No', () => {
    assert.deepEqual(
      found(
        position({ conditionId: '0xc2', token: 'yes-2' }),
        position({ conditionId: '0xc1', token: 'no-1', outcome: 'No' }),
        position({ conditionId: '0xc1', token: 'yes-1' }),
      ),
      ['Yes 0-19', 'No 0-19', 'Yes 20+'],
    );
  });
});
