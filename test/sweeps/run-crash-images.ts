import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawImages } from './crash-cuts.ts';
import { type CrashTotals, sweepCrashImages } from './crash-images.ts';
import { recordLives } from './crash-lives.ts';

/**
 * `node build/test/sweeps/run-crash-images.js 500 1 [FOLDER]`: as many power cuts as asked, drawn from the seed, of a
 * program that is recorded first; or of one whose recording is kept in a folder.
 */
const [, , imagesText = '100', seedText = '1', folder] = process.argv;
const [images, seed] = [Number(imagesText), Number(seedText)];
if (!Number.isInteger(images) || images < 1)
  throw new RangeError(`expected a number of images, was ${imagesText}`);
if (!Number.isInteger(seed)) throw new RangeError(`expected a whole number as seed, was ${seedText}`);
const startedAt = performance.now();
const say = (line: string) => void process.stdout.write(`${line}\n`);
const base = folder ?? mkdtempSync(join(tmpdir(), 'tallywire-crash-'));
let isKept = folder !== undefined;
try {
  if (folder === undefined) await recordLives({ base, lives: 3, frames: 150, report: say });
  const totals = await sweepCrashImages({
    base,
    draw: (recording) => drawImages(recording, images, seed),
    report: say,
  });
  tell(totals);
  isKept ||= totals.bad.length > 0;
  process.exitCode = totals.bad.length === 0 ? 0 : 1;
} finally {
  // What a program writes differs from run to run, so a seed alone does not repeat an image.
  if (isKept) say(`the recording is in ${base}`);
  else rmSync(base, { recursive: true, force: true });
}

function tell(totals: CrashTotals): void {
  const row = (name: string, value: number) => say(`${name.padEnd(36)}${String(value).padStart(9)}`);
  row('images', totals.images);
  for (const [kind, count] of totals.cuts) row(`  cut ${kind}`, count);
  for (const [mood, count] of totals.moods) row(`  kept ${mood}`, count);
  row('writes dropped', totals.droppedWrites);
  row('pages torn', totals.tornPages);
  row('changes of names dropped', totals.droppedNames);
  row('acknowledged rows looked for', totals.acknowledged);
  row('failed starts in a row, at most', totals.mostFailedStarts);
  row('worst loss of what was pending, ms', Math.round(totals.worstLossMs));
  row('bad', totals.bad.length);
  say(`seed ${seed}, in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}
