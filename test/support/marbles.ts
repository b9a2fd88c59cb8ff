import assert from 'node:assert/strict';
import { type RunHelpers, TestScheduler } from 'rxjs/testing';

/** Runs a marble test in virtual time; a difference fails as `assert.deepEqual` does. */
export const marbles = (test: (helpers: RunHelpers) => void): void =>
  new TestScheduler((actual, expected) => assert.deepEqual(actual, expected)).run(test);
