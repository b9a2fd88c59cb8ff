import assert from 'node:assert/strict';
import { retryAfterMs } from '../../src/resilience/retry-after.ts';

const NOW = Date.parse('2026-04-10T12:00:00Z');

const CASES: readonly (readonly [number, Record<string, string>, number | undefined])[] = [
  [429, { 'retry-after': '0' }, 0],
  [429, { 'retry-after': '1' }, 1_000],
  [503, { 'retry-after': ' 3600 ' }, 3_600_000],
  [429, { 'retry-after': 'Fri, 10 Apr 2026 12:00:30 GMT' }, 30_000],
  [503, { 'retry-after': 'Fri, 10 Apr 2026 11:00:00 GMT' }, 0],
  [429, { 'retry-after': 'abc' }, undefined],
  [429, { 'retry-after': '-5' }, undefined],
  [429, { 'retry-after': '1.5' }, undefined],
  [429, { 'retry-after': '1e3' }, undefined],
  [429, { 'retry-after': '99999999999999999999' }, undefined],
  [429, { 'retry-after': '2026-04-10T12:00:30Z' }, undefined],
  [429, {}, undefined],
  [429, { 'x-rate-limit-reset': String(NOW / 1_000 + 90) }, 90_000],
  [429, { 'x-rate-limit-reset': String(NOW / 1_000 - 90) }, 0],
  [429, { 'x-rate-limit-reset': 'soon' }, undefined],
  [429, { 'retry-after': '2', 'x-rate-limit-reset': String(NOW / 1_000 + 90) }, 2_000],
  // A machine whose calendar is wrong counts from the date of the answer.
  [429, { 'retry-after': 'Fri, 12 Apr 2024 12:00:30 GMT', date: 'Fri, 12 Apr 2024 12:00:10 GMT' }, 20_000],
  [429, { 'x-rate-limit-reset': '1712923290', date: 'Fri, 12 Apr 2024 12:00:00 GMT' }, 90_000],
  [429, { 'retry-after': 'Fri, 10 Apr 2026 12:00:30 GMT', date: 'today' }, 30_000],
  [500, { 'retry-after': '5' }, undefined],
  [404, { 'retry-after': '5' }, undefined],
];

describe('retryAfterMs', () => {
  for (const [status, headers, expected] of CASES) {
    it(`gives ${expected} for ${status} with ${JSON.stringify(headers)}`, () => {
      assert.equal(retryAfterMs(status, new Headers(headers), NOW), expected);
    });
  }
});
