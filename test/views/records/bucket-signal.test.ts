import assert from 'node:assert/strict';
import { signalOf } from '../../../src/views/records/bucket-signal.ts';

describe('signalOf', () => {
  for (const [edge, signal] of [
    [1, 'STRONG_BUY'],
    [0.1501, 'STRONG_BUY'],
    [0.15, 'BUY'],
    [0.0501, 'BUY'],
    [0.05, 'SLIGHT_BUY'],
    [0.0201, 'SLIGHT_BUY'],
    [0.02, 'HOLD'],
    [0, 'HOLD'],
    [-0.05, 'HOLD'],
    [-0.0501, 'SELL'],
    [-1, 'SELL'],
    [null, null],
  ] as const) {
    it(`calls an edge of ${edge} ${signal}`, () => assert.equal(signalOf(edge), signal));
  }
});
