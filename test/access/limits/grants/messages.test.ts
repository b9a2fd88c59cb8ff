import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decodeEdgeMessage,
  decodeEngineMessage,
  decodeLedgerEvent,
} from '../../../../src/access/limits/grants/messages.ts';

const ASK = {
  kind: 'ask',
  edge: 'e',
  caller: 'a:c',
  limit: 100,
  n: 1,
  sentAt: 5.5,
  spent: [[1_767_268_800_000.5, 2]],
  held: 3,
  reserve: 12,
};
const REFUSED = {
  kind: 'refused',
  edge: 'e',
  caller: 'a:c',
  n: 1,
  sentAt: 5.5,
  at: 10.25,
  until: 70,
  reserve: 0,
  free: 0,
  freeAt: 99,
};

describe('messages of grants', () => {
  it('are taken as they were sent', () => {
    for (const message of [ASK, { ...ASK, kind: 'report' }, { kind: 'leave', edge: 'e' }]) {
      assert.deepEqual(decodeEdgeMessage(JSON.parse(JSON.stringify(message))), message);
    }
    for (const message of [REFUSED, { ...REFUSED, kind: 'granted', count: 5 }]) {
      assert.deepEqual(decodeEngineMessage(JSON.parse(JSON.stringify(message))), message);
    }
    const event = { kind: 'answered', at: 10, request: ASK, answer: REFUSED };
    assert.deepEqual(decodeLedgerEvent(JSON.parse(JSON.stringify(event))), event);
  });

  it('are refused when a field is missing, of another kind, or out of range', () => {
    const wrong: object[] = [
      { ...ASK, kind: 'hello', sentAt: undefined },
      { ...ASK, kind: 'granted' },
      { ...ASK, held: -1 },
      { ...ASK, held: 1.5 },
      { ...ASK, n: 0 },
      { ...ASK, edge: '' },
      { ...ASK, spent: [[1]] },
      { ...ASK, spent: [[null, 1]] },
      { ...ASK, spent: Array.from({ length: 20_001 }, () => [1, 1]) },
    ];
    for (const message of wrong) assert.equal(decodeEdgeMessage(message), undefined);
    assert.equal(decodeEngineMessage({ ...REFUSED, kind: 'granted', count: 0 }), undefined);
    assert.equal(decodeEngineMessage({ ...REFUSED, until: Number.NaN }), undefined);
    assert.throws(() => decodeLedgerEvent({ kind: 'answered', at: 10, request: ASK }));
  });

  it('are nothing that anything else can be taken for', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        assert.equal(decodeEdgeMessage(value), undefined);
        assert.equal(decodeEngineMessage(value), undefined);
      }),
    );
  });
});
