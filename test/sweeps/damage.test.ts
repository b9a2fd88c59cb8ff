import assert from 'node:assert/strict';
import { createRng } from '../../src/world/rng.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepDamage } from './damage.ts';

describe('a service on a damaged folder', () => {
  it('comes up or refuses within two failed starts, serves no wrong number and loses nothing silently', async function () {
    this.timeout(600_000);
    const lines: string[] = [];
    await withSeed(async (seed) => {
      const { loops, wrongNumbers, silentLosses } = await sweepDamage({
        flips: 1,
        pages: 1,
        lifeMs: 1_000,
        moments: [0.6, 1],
        random: createRng(seed).next,
        report: (line) => lines.push(line),
      });
      assert.deepEqual({ loops, wrongNumbers, silentLosses }, NONE, lines.join('\n'));
    });
  });
});

const NONE = { loops: 0, wrongNumbers: 0, silentLosses: 0 };
