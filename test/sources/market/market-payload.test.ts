import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createSubjects } from '../../../src/sources/market/event-subject.ts';
import { eventSketch } from '../../../src/sources/market/market-payload.ts';
import { localEndpoints } from '../../support/endpoints.ts';
import { wireEvent } from '../../support/payloads.ts';

const ENDPOINTS = localEndpoints({ url: 'http://market.invalid', socketUrl: 'ws://market.invalid' });
const subjectOf = createSubjects(ENDPOINTS);
const EMPTY = { id: null, slug: null, seriesSlug: null, series: [], eventMetadata: null };

describe('eventSketch', () => {
  it('takes any value, and keeps nothing of one that is no event', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sketch = eventSketch.parse(value);
        if (typeof value !== 'object' || value === null || Array.isArray(value))
          assert.deepEqual(sketch, EMPTY);
      }),
    );
  });

  it('knows whose an event is by its slug or its series alone, whatever its other fields are', () => {
    const fields = Object.keys(wireEvent(1));
    const others = fc.dictionary(
      fc.constantFrom(...fields.filter((name) => name !== 'slug' && name !== 'series')),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(others, fc.jsonValue({ maxDepth: 2 }), (extra, odd) => {
        const subject = (event: object) => subjectOf(eventSketch.parse(event));
        const ours = { type: 'posts', account: 'a' };
        assert.deepEqual(subject(wireEvent(1, { ...extra, series: odd })), ours);
        assert.deepEqual(subject(wireEvent(1, { ...extra, slug: 'other' })), ours);
        assert.equal(subject(wireEvent(1, { ...extra, slug: 'other', series: odd, seriesSlug: odd })), null);
      }),
    );
  });
});
