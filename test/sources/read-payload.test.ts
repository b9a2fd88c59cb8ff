import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { decodeEach } from '../../src/sources/read-payload.ts';

describe('decodeEach', () => {
  it('gives the good elements in their order, whatever the others are, and each reason once', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.jsonValue({ maxDepth: 1 }))), (elements) => {
        const { values, reasons } = decodeEach(z.int(), elements);
        const good = elements.filter((element) => Number.isSafeInteger(element));
        assert.deepEqual(values, good);
        assert.equal(reasons.length > 0, good.length < elements.length);
        assert.equal(new Set(reasons).size, reasons.length);
      }),
    );
  });
});
