import assert from 'node:assert/strict';
import { signalOf } from '../../../src/views/records/bucket-signal.ts';

describe('signalOf', () => {
  for (const [action, edge, edgeNet, signal] of [
    ['BUY', 1, 0.9, 'STRONG_BUY'],
    ['BUY', 0.1501, 0.1, 'STRONG_BUY'],
    ['BUY', 0.15, 0.1, 'BUY'],
    ['BUY', 0.0501, 0.01, 'BUY'],
    ['HOLD', 0.05, 0.01, 'SLIGHT_BUY'],
    ['HOLD', 0.0201, 0.0001, 'SLIGHT_BUY'],
    ['HOLD', 0.02, 0.01, 'HOLD'],
    ['HOLD', 0.3, 0, 'HOLD'],
    ['HOLD', 0.3, null, 'HOLD'],
    ['HOLD', -0.3, -0.4, 'HOLD'],
    ['SELL', -0.05, -0.1, 'SELL'],
    ['SKIP', 0.9, 0.8, 'HOLD'],
    ['SKIP', -0.9, -1, 'HOLD'],
    ['SKIP', null, null, null],
  ] as const) {
    it(`calls a ${action} with an edge of ${edge}, net ${edgeNet}, ${signal}`, () =>
      assert.equal(signalOf({ action, edge, edgeNet }), signal));
  }
});
