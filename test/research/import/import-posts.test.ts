import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { importPosts } from '../../../src/research/import/import-posts.ts';
import { verify } from '../../../src/research/verify.ts';
import { CLUSTER_NOTE, type Store } from '../../../src/store/store.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { keptLines, record, START_AT, withStore } from '../small-log.ts';

const NOW = START_AT + HOUR_MS;

function importing(store: Store, folder: string, text: string, isComplete = false) {
  const path = join(folder, 'posts.csv');
  writeFileSync(path, text);
  return importPosts(store, { path, account: 'a', isComplete, now: NOW });
}

const csvOf = (ids: readonly number[]) =>
  ['id,created_ts,text', ...ids.map((id) => `${id},${START_AT - id * 60_000},old ${id}`)].join('\n');

/** Whether every kept output is that of a replay of the log. */
async function isSound(store: Store): Promise<boolean> {
  return (await verify(store)).difference === null;
}

describe('importPosts', () => {
  it('appends marked posts that readers find, and a replay gives the same bytes', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 25, unstored: 3 });
      const head = store.journal.head;
      const imported = await importing(store, folder, csvOf([1, 2, 3]));
      assert.deepEqual(imported, {
        ...{ posts: { a: 3 }, seqs: [head + 1, head + 3], repeated: 0, known: 0, isForNextStart: false },
      });
      const facts = [...store.journal.read(head + 1)].map(({ fact }) => fact);
      assert.ok(facts.every((fact) => fact.kind === 'post' && fact.via === 'import'));
      const shown = keptLines(store, 'posts').map((line) => JSON.parse(line).record);
      assert.deepEqual(
        shown.filter(({ via }) => via === 'import').map(({ id, text, isCounted }) => [id, text, isCounted]),
        [
          ['3', 'old 3', true],
          ['2', 'old 2', true],
          ['1', 'old 1', true],
        ],
      );
      assert.equal(store.outputs.upTo, store.journal.head);
      assert.ok(await isSound(store));
    }));

  it('leaves out ids that the folder has, so that a second import changes nothing', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 20 });
      const known = '1004,2026-01-05T00:00:00Z,another text';
      await importing(store, folder, `${csvOf([1, 2])}\n${known}`);
      const { head } = store.journal;
      const again = await importing(store, folder, `${csvOf([1, 2])}\n${known}`);
      assert.deepEqual([again.seqs, again.known, store.journal.head], [null, 3, head]);
      assert.doesNotMatch(keptLines(store, 'posts').join(), /another text/);
    }));

  it('vouches for a file that is complete, and for no later time than before', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 20 });
      await importing(store, folder, csvOf([3_000, 10]), true);
      const last = [...store.journal.readBack(store.journal.head)][0]?.fact;
      assert.deepEqual(last, { kind: 'coverage', account: 'a', fromAt: START_AT - 3_000 * 60_000 });
      const { head } = store.journal;
      await importing(store, folder, csvOf([11]), true);
      assert.equal(store.journal.head, head + 1);
      assert.ok(await isSound(store));
    }));

  it('imports nothing of a file with a faulty row, wherever it is', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 20 });
      const { head } = store.journal;
      const { upTo } = store.outputs;
      await fc.assert(
        fc.asyncProperty(fc.nat(30), fc.constantFrom('x,1', '7,', '7,soon', ',5'), async (place, bad) => {
          const lines = csvOf(Array.from({ length: 30 }, (_, id) => id + 1)).split('\n');
          lines.splice(place + 1, 0, bad);
          await assert.rejects(importing(store, folder, lines.join('\n')), {
            code: 'IMPORT_FILE',
            message: new RegExp(`line ${place + 2} `),
          });
          assert.deepEqual([store.journal.head, store.outputs.upTo], [head, upTo]);
        }),
        { numRuns: 25 },
      );
    }));

  it('leaves the rest to the next start where that computes everything anew', () =>
    withStore(async (store, folder) => {
      await record(store, {
        seconds: 20,
        checkpoint: ({ checkpoint }) => ({ ...checkpoint, graphVersion: 1 }),
      });
      const { upTo } = store.outputs;
      const { isForNextStart } = await importing(store, folder, csvOf([1]));
      assert.deepEqual([isForNextStart, store.outputs.upTo], [true, upTo]);
    }));

  it('refuses a folder of a cluster, and one without a log', () =>
    withStore(async (store, folder) => {
      await assert.rejects(importing(store, folder, csvOf([1])), { code: 'IMPORT_NO_ACCOUNTS' });
      await record(store, { seconds: 5 });
      await store.notes.set(CLUSTER_NOTE, '{}');
      await assert.rejects(importing(store, folder, csvOf([1])), { code: 'IMPORT_OF_CLUSTER' });
    }));
});
