import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRng } from '../../src/world/rng.ts';
import type { Recording } from './call-recording.ts';
import { CUT_KINDS, type CutKind, type Drawn } from './crash-cuts.ts';
import { MOODS, type Mood } from './crash-disk.ts';
import { layOut } from './crash-folder.ts';
import { dueAt, type Judgement, judge } from './crash-judgement.ts';
import { type RecordedLives, readLives } from './crash-lives.ts';
import { isBackupRow, type Kept, paymentIdsIn } from './crash-rows.ts';
import { createStarts, type Starts } from './crash-start.ts';

interface CrashSweep {
  /** The folder of a recording. */
  readonly base: string;
  readonly draw: (recording: Recording) => Iterable<Drawn>;
  readonly report: (line: string) => void;
}

export interface CrashTotals {
  readonly images: number;
  readonly cuts: ReadonlyMap<CutKind, number>;
  readonly moods: ReadonlyMap<Mood, number>;
  readonly droppedWrites: number;
  readonly tornPages: number;
  readonly droppedNames: number;
  /** Acknowledgements that were looked for, of all images. */
  readonly acknowledged: number;
  readonly mostFailedStarts: number;
  /** Of what was not acknowledged. */
  readonly worstLossMs: number;
  /** What is wrong with each image that is bad. */
  readonly bad: readonly (readonly string[])[];
}

function noTotals(): CrashTotals {
  return {
    images: 0,
    cuts: new Map(CUT_KINDS.map((kind) => [kind, 0])),
    moods: new Map(MOODS.map((mood) => [mood, 0])),
    droppedWrites: 0,
    tornPages: 0,
    droppedNames: 0,
    acknowledged: 0,
    mostFailedStarts: 0,
    worstLossMs: 0,
    bad: [],
  };
}

function add(totals: CrashTotals, drawn: Drawn, acknowledged: number, judgement: Judgement): CrashTotals {
  const { kind, mood, image } = drawn;
  const { failedStarts, faults } = judgement;
  return {
    images: totals.images + 1,
    cuts: new Map([...totals.cuts, [kind, (totals.cuts.get(kind) ?? 0) + 1]]),
    moods: new Map([...totals.moods, [mood, (totals.moods.get(mood) ?? 0) + 1]]),
    droppedWrites: totals.droppedWrites + image.droppedWrites,
    tornPages: totals.tornPages + image.tornPages,
    droppedNames: totals.droppedNames + image.droppedNames,
    acknowledged: totals.acknowledged + acknowledged,
    mostFailedStarts: Math.max(totals.mostFailedStarts, failedStarts),
    worstLossMs: Math.max(totals.worstLossMs, image.lossMs),
    bad: faults.length === 0 ? totals.bad : [...totals.bad, faults],
  };
}

const PROGRESS_EVERY = 10;
/** It takes processes of its own, and finds little that a start and the verification do not. */
const DOCTOR_EVERY = 10;

/** Cuts the power of a recorded program at many places, and looks at what the disk would then hold. */
export async function sweepCrashImages({ base, draw, report }: CrashSweep): Promise<CrashTotals> {
  const lives = readLives(base);
  const { recording, acknowledged, vault } = lives;
  const paymentIds = paymentIdsIn(dueAt(acknowledged, Number.POSITIVE_INFINITY).rows);
  const starts = createStarts();
  const folder = join(base, 'image');
  try {
    const whole = await readWhole(lives, folder, starts, paymentIds);
    let totals = noTotals();
    for (const drawn of draw(recording)) {
      const number = totals.images + 1;
      const due = dueAt(acknowledged, drawn.at);
      mkdirSync(folder);
      await layOut(drawn.image, folder, vault, createRng(number).next);
      const judgement = await judge(join(folder, 'data'), due, {
        starts,
        whole,
        paymentIds,
        asksDoctor: number % DOCTOR_EVERY === 1,
      });
      rmSync(folder, { recursive: true });
      totals = add(totals, drawn, due.rows.size, judgement);
      if (judgement.faults.length > 0) {
        const { kind, mood, at } = drawn;
        const label = `image ${number} is BAD: cut ${kind}, at record ${at}, which kept ${mood}`;
        report([label, ...judgement.faults].join('\n  '));
      }
      if (number % PROGRESS_EVERY === 0)
        report(`${number} images, ${totals.bad.length} bad, ${totals.tornPages} torn pages`);
    }
    return totals;
  } finally {
    await starts.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that was ever stored, as nothing is taken back: what is there without a power cut. */
async function readWhole(
  { last, acknowledged, vault }: RecordedLives,
  folder: string,
  starts: Starts,
  paymentIds: readonly string[],
): Promise<Kept> {
  mkdirSync(folder);
  await layOut(last, folder, vault, () => 0);
  const end = await starts.start({ data: join(folder, 'data'), paymentIds });
  rmSync(folder, { recursive: true });
  assert.ok(end.is === 'found', `the folder without a power cut does not open: ${JSON.stringify(end)}`);
  const rows = new Set(end.kept.rows.map(([row]) => row));
  const { rows: due } = dueAt(acknowledged, Number.POSITIVE_INFINITY);
  const absent = [...due].find((row) => !rows.has(row) && !isBackupRow(row));
  assert.equal(absent, undefined, `acknowledged, and not there without a power cut: ${absent}`);
  return end.kept;
}
