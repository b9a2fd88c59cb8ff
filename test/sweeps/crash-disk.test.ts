import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Call, Recording } from './call-recording.ts';
import { imageAfter, MOODS, type Mood, type PowerCut } from './crash-disk.ts';

const ROOT = 0;
const FILE = 1;

/** A recording of calls in one folder with one file, whose name is synced; each call has its place among the records. */
function recording(...calls: readonly Call[]): Recording {
  const names = new Map([['file', { is: 'file', file: FILE } as const]]);
  const named: readonly Call[] = [
    { is: 'name', folder: ROOT, names, at: 0, endAt: 0, ms: 0 },
    { is: 'sync', file: ROOT, at: 1, endAt: 2, ms: 0 },
  ];
  return { calls: [...named, ...calls], times: Array.from({ length: 100 }, (_, at) => at), root: ROOT };
}

const span = (at: number, endAt: number) => ({ at, endAt, ms: at });
const write = (at: number, endAt: number, text: string, offset = 0, isSynced = false): Call => ({
  ...span(at, endAt),
  is: 'write',
  file: FILE,
  offset,
  bytes: Buffer.from(text),
  isSynced,
});
const sync = (at: number, endAt: number): Call => ({ ...span(at, endAt), is: 'sync', file: FILE });

function cut(at: number, mood: Mood, more: Partial<PowerCut> = {}): PowerCut {
  return { at, mood, random: () => 0.5, liesFor: 0, ...more };
}

function contentAfter(recorded: Recording, power: PowerCut): string {
  const entry = imageAfter(recorded, power).entries.get('file');
  assert.ok(entry?.is === 'file');
  return entry.bytes.toString();
}

const draws = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
const randomOf = (drawn: Iterator<number>) => () => Number(drawn.next().value);

describe('imageAfter', () => {
  it('keeps what was written before a sync that has returned, whatever else is lost', () => {
    const synced = 'a'.repeat(2_000);
    const recorded = recording(write(3, 4, synced), sync(5, 6), write(7, 8, 'b'.repeat(9_000), 2_048));
    fc.assert(
      fc.property(fc.constantFrom(...MOODS), draws, (mood, drawn) => {
        const content = contentAfter(recorded, cut(9, mood, { random: randomOf(drawn) }));
        assert.equal(content.slice(0, synced.length), synced);
      }),
    );
  });

  it('may lose what was written before a sync that has not returned', () => {
    const recorded = recording(write(3, 4, 'a'), sync(5, 6));
    assert.equal(contentAfter(recorded, cut(6, 'nothing')), '');
    assert.equal(contentAfter(recorded, cut(7, 'nothing')), 'a');
  });

  it('may lose what was written while a sync was under way', () => {
    const recorded = recording(sync(3, 6), write(4, 5, 'a'));
    assert.equal(contentAfter(recorded, cut(9, 'nothing')), '');
  });

  it('keeps a write that is synced itself once it has returned, but not those before it', () => {
    const recorded = recording(write(3, 4, 'b'.repeat(512), 512), write(5, 6, 'a'.repeat(512), 0, true));
    assert.equal(contentAfter(recorded, cut(6, 'nothing')), '');
    assert.equal(contentAfter(recorded, cut(7, 'nothing')), 'a'.repeat(512));
  });

  it('keeps of each sector what one of the writes left in it', () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(2_048));
    const recorded = recording(...texts.map((text, index) => write(3 + 2 * index, 4 + 2 * index, text)));
    const seen = new Set<string>();
    const property = fc.property(draws, (drawn) => {
      const content = contentAfter(recorded, cut(9, 'some sectors', { random: randomOf(drawn) }));
      for (let sector = 0; sector * 512 < content.length; sector++) {
        const piece = content.slice(sector * 512, (sector + 1) * 512);
        assert.match(piece, /^(a{512}|b{512}|c{512}|\0{512})$/);
        seen.add(piece[0] ?? '');
      }
    });
    fc.assert(property);
    assert.equal(seen.size, 4);
  });

  it('may lose the last changes of names until their folder is synced', () => {
    const moved = new Map([
      ['file', undefined],
      ['other', { is: 'file', file: FILE } as const],
    ]);
    const rename: Call = { ...span(5, 5), is: 'name', folder: ROOT, names: moved };
    const recorded = recording(write(3, 4, 'a'), rename, { ...span(6, 7), is: 'sync', file: ROOT });
    const namesAfter = (at: number, mood: Mood) => [...imageAfter(recorded, cut(at, mood)).entries.keys()];
    assert.deepEqual(namesAfter(7, 'nothing'), ['file']);
    assert.deepEqual(namesAfter(7, 'everything'), ['other']);
    assert.deepEqual(namesAfter(8, 'nothing'), ['other']);
  });

  it('of a disk that lies may lose what was synced', () => {
    const recorded = recording(write(3, 4, 'a'), sync(5, 6));
    assert.equal(contentAfter(recorded, cut(9, 'nothing', { liesFor: 5 })), '');
  });
});
