import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DICTIONARY } from '../../../src/store/lmdb/dictionary.ts';
import { LAYOUT, openEnvironment, openPlain, TIMELINES } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { postOutput, withFolder } from '../../support/store-records.ts';

/** What the list of the posts takes, whose rows are too short to be compressed. */
async function timelineBytes(folder: string): Promise<number> {
  const environment = await openEnvironment(folder, { isReadOnly: true });
  try {
    const stats: object = openPlain(environment.root, TIMELINES)?.getStats() ?? {};
    assert.ok('pageSize' in stats && 'treeLeafPageCount' in stats && 'treeBranchPageCount' in stats);
    return Number(stats.pageSize) * (Number(stats.treeLeafPageCount) + Number(stats.treeBranchPageCount));
  } finally {
    await environment.close();
  }
}

describe('the dictionary', () => {
  it('is the one of its layout: a change of one is a change of the other', () => {
    assert.deepEqual(
      [LAYOUT, createHash('sha256').update(DICTIONARY).digest('hex')],
      [4, 'bc2e5297318c5ac9bd02a1ff534b6768282a7789cfe1ed29350368e097c2a2a1'],
    );
  });

  it('halves the rows of posts, but for their checksums and numbers', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      const empty = store.sizeBytes();
      const expected = Array.from({ length: 2_000 }, (_, index) =>
        postOutput(index + 1, String(2_100_000_000_000_000_000n + BigInt(index) * 7_919n), 1_790_000_000_000),
      );
      await store.outputs.append(expected, expected.length);
      const bytes = expected.reduce((sum, output) => sum + JSON.stringify(output).length, 0);
      const taken = store.sizeBytes() - empty;
      await store.close();
      // Each is kept twice: in the history and as the latest.
      const kept = taken - (await timelineBytes(folder));
      assert.ok(kept < bytes + 2 * 2_000 * 9, `${bytes} bytes became ${kept}`);
    }));
});
