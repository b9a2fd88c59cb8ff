import assert from 'node:assert/strict';
import { quietReport } from '../../src/bus/quiet-report.ts';

describe('quietReport', () => {
  it('tells the same trouble once in ten seconds, and other trouble at once', () => {
    let now = 0;
    const told: unknown[] = [];
    const report = quietReport(
      () => now,
      (error) => told.push(error instanceof Error ? error.message : error),
    );
    const tell = (at: number, message: string) => {
      now = at;
      report(new Error(message));
    };
    tell(0, 'a');
    tell(9_999, 'a');
    tell(9_999, 'b');
    tell(10_000, 'a');
    assert.deepEqual(told, ['a', 'b', 'a']);
  });
});
