import assert from 'node:assert/strict';
import { isOldServer } from '../../../src/bus/nats/server-version.ts';

describe('isOldServer', () => {
  it('compares versions by their numbers', () => {
    for (const old of ['2.9.10', '2.10.22', 'v2.10.9', '1.99.99', '', 'unknown'])
      assert.equal(isOldServer(old), true, old);
    for (const young of ['2.10.23', '2.10.27', 'v2.11.0', '2.15.1', '3.0.0', '2.11.0-dev']) {
      assert.equal(isOldServer(young), false, young);
    }
  });
});
