import assert from 'node:assert/strict';
import { tellOnce } from '../../src/sources/tell-once.ts';

describe('tellOnce', () => {
  const refusals: string[] = [];
  const context = { refused: (reason: string) => refusals.push(reason) };
  beforeEach(() => refusals.splice(0));

  it('tells a fault once until it changes or has gone', () => {
    const faults = tellOnce(10);
    for (const fault of ['x', 'x', 'y', 'x', null, null, 'x']) faults.tell(1, fault, context);
    assert.deepEqual(refusals, ['x', 'y', 'x', 'x']);
  });

  it('keeps the faults of different names apart, and forgets the one not seen for longest', () => {
    const faults = tellOnce(2);
    for (const name of [1, 2, 1, 2, 'three', 2, 1]) faults.tell(name, `fault of ${name}`, context);
    assert.deepEqual(refusals, ['fault of 1', 'fault of 2', 'fault of three', 'fault of 1']);
  });
});
