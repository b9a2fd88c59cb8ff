import assert from 'node:assert/strict';
import { createViolations } from './violations.ts';
import { checkWaitingBytes } from './waiting-bytes.ts';

describe('checkWaitingBytes', () => {
  it('finds a connection for which too much waits', () => {
    const violations = createViolations(() => 0);
    checkWaitingBytes([{ writableLength: 0 }, { writableLength: 300_000 }], violations);
    assert.equal(violations.found.length, 0);
    checkWaitingBytes([{ writableLength: 2_000_000 }], violations);
    assert.equal(violations.found.length, 1);
  });
});
