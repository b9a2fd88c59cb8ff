import { createRng } from '../../src/world/rng.ts';
import type { Recording } from './call-recording.ts';
import { type Image, imageAfter, MOODS, type Mood } from './crash-disk.ts';

/** Where a power cut falls. */
export const CUT_KINDS = [
  'in a write of pages',
  'before a sync',
  'in a sync',
  'in the write of a commit',
  'after a commit',
  'after something was sent',
  'after a change of names',
  'anywhere',
] as const;
export type CutKind = (typeof CUT_KINDS)[number];

type Cuts = ReadonlyMap<CutKind, readonly number[]>;

/** Every place to cut, by kind: the records before it happened. */
function cutsIn({ calls, times }: Recording): Cuts {
  const cuts = new Map<CutKind, number[]>(CUT_KINDS.map((kind) => [kind, []]));
  const add = (kind: CutKind, at: number) => cuts.get(kind)?.push(Math.min(at, times.length));
  for (const call of calls) {
    const { at, endAt } = call;
    switch (call.is) {
      case 'name':
        add('after a change of names', at + 1);
        break;
      case 'send':
        add('after something was sent', at + 1);
        break;
      case 'sync':
        add('before a sync', at);
        add('in a sync', at + 1);
        break;
      case 'write':
        add(call.isSynced ? 'in the write of a commit' : 'in a write of pages', at + 1);
        if (call.isSynced) add('after a commit', endAt + 1);
    }
  }
  for (const at of times.keys()) add('anywhere', at + 1);
  return cuts;
}

/** What a disk holds after one power cut. */
export interface Drawn {
  readonly kind: CutKind;
  readonly mood: Mood;
  readonly at: number;
  readonly image: Image;
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('there is nothing to pick from');
  return item;
}

function drawImage(recording: Recording, cuts: Cuts, random: () => number): Drawn {
  const kind = pick(CUT_KINDS, random);
  const at = pick(cuts.get(kind) ?? [], random);
  const mood = pick(MOODS, random);
  return { kind, mood, at, image: imageAfter(recording, { at, mood, random, liesFor: 0 }) };
}

/** The same seed draws the same images of the same recording. */
export function* drawImages(recording: Recording, images: number, seed: number): Iterable<Drawn> {
  const cuts = cutsIn(recording);
  for (let number = 1; number <= images; number++)
    yield drawImage(recording, cuts, createRng(seed, number).next);
}
