import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPlaces } from '../../../src/feed/delivery/places.ts';
import { createNumbering } from '../../../src/feed/log/numbering.ts';
import { TOPICS } from '../memory-readers.ts';

const STATES = [...createNumbering(TOPICS, []).states()].slice(0, 2);

describe('createPlaces', () => {
  it('gives the place that was asked for, whatever was asked before', () => {
    const place = fc.record({
      state: fc.constantFrom(...STATES),
      type: fc.constantFrom('replay' as const, 'live' as const),
      seq: fc.nat(2),
      upToDateBytes: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(place), (asked) => {
        const places = createPlaces();
        const given = asked.map(({ state, type, seq, upToDateBytes }) =>
          places.at(state, type, seq, upToDateBytes),
        );
        assert.deepEqual(
          given,
          asked.map(({ type, seq, upToDateBytes }) => ({ type, seq, upToDateBytes })),
        );
      }),
    );
  });

  it('gives one object to readers that come to a place one after the other, also between other topics', () => {
    const places = createPlaces();
    const [state, other] = STATES;
    assert.ok(state !== undefined && other !== undefined);
    const first = places.at(state, 'replay', 7, 100);
    places.at(other, 'replay', 8, 100);
    places.at(state, 'live', 9, 100);
    assert.equal(places.at(state, 'replay', 7, 100), first);
  });
});
