import assert from 'node:assert/strict';
import { requirePackages } from '../support/system-packages.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepInterruptions } from './interruptions.ts';

describe('a process killed at a system call', () => {
  it('leaves the store that was there or the one to come, whatever it was at', async function () {
    this.timeout(300_000);
    requirePackages(this, 'kills and power cuts at system calls');
    // Where one name takes the place of another a kill is most likely to do harm.
    const sample = { killsOfEach: 1, acts: /backup|restore|layout|replacement/, among: / rename / };
    await withSeed(async (seed) => {
      const results = await sweepInterruptions({ ...sample, seed, report: () => undefined });
      for (const { act, kills } of results) assert.ok(kills > 0, `nobody was killed at ${act}`);
    });
  });
});
