import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePackages } from '../support/system-packages.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepCrashImages } from './crash-images.ts';
import { recordLives } from './crash-lives.ts';

describe('a power cut', function () {
  this.timeout(600_000);
  let base = '';
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);

  before(async function () {
    requirePackages(this, 'kills and power cuts at system calls');
    base = mkdtempSync(join(tmpdir(), 'tallywire-crash-'));
    await recordLives({ base, lives: 1, frames: 60, report });
  });

  after(() => {
    if (base !== '') rmSync(base, { recursive: true, force: true });
  });

  it('takes nothing that was acknowledged, and leaves a store that is sound', async () => {
    await withSeed(async (seed) => {
      const { bad } = await sweepCrashImages({ base, images: 6, seed, liesFor: 0, report });
      assert.deepEqual(bad, [], lines.join('\n'));
    });
  });

  it('is noticed where the disk has lied about what it keeps', async () => {
    // So far back that something was acknowledged since.
    const { bad } = await sweepCrashImages({ base, images: 4, seed: 1, liesFor: 2_000, report });
    assert.ok(bad.length > 0, lines.join('\n'));
  });
});
