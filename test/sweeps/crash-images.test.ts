import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePackages } from '../support/system-packages.ts';
import { withSeed } from '../support/with-seed.ts';
import type { Recording } from './call-recording.ts';
import { type Drawn, drawImages } from './crash-cuts.ts';
import { imageAfter } from './crash-disk.ts';
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
      const draw = (recording: Recording) => drawImages(recording, 6, seed);
      const { bad } = await sweepCrashImages({ base, draw, report });
      assert.deepEqual(bad, [], lines.join('\n'));
    });
  });

  it('is noticed where the disk has not kept what it said it had', async () => {
    const draw = (recording: Recording): readonly Drawn[] => {
      const [at, mood] = [recording.times.length, 'nothing'] as const;
      // How much of a recording is acknowledged when differs from run to run, so it has kept nothing at all.
      const lying = { at, mood, random: () => 0, liesFor: at };
      return [{ kind: 'anywhere', mood, at, image: imageAfter(recording, lying) }];
    };
    const { bad } = await sweepCrashImages({ base, draw, report });
    assert.match(bad.flat().join('\n'), /acknowledged rows are gone/);
  });
});
