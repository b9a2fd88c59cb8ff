import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyParts, isDamaged } from '../../../src/store/lmdb/copy-parts.ts';
import {
  type Environment,
  environmentPath,
  openEnvironment,
  PART_NAMES,
} from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { rebuild } from '../../../src/store/lmdb/rebuild.ts';
import { filePath, pagesOf, swapPages } from '../../support/database-pages.ts';
import { postOutput, ticks } from '../../support/store-records.ts';

const posts = Array.from({ length: 150 }, (_, n) => ({
  ...postOutput(1, String(n), n, 'text', 'a'),
  key: String(n),
}));

describe('timelines', () => {
  let folder = '';
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-timelines-'));
    const store = await openStore(folder);
    await store.journal.append(ticks(1, 1));
    await store.outputs.prepare();
    await store.outputs.append(posts, 1);
    await store.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function change(task: (environment: Environment) => void): Promise<void> {
    const environment = await openEnvironment(folder, { isReadOnly: false });
    await environment.root.batch(() => task(environment));
    await environment.close();
  }

  async function listed(isPrepared: boolean): Promise<readonly string[]> {
    const store = await openStore(folder);
    if (isPrepared) await store.outputs.prepare();
    const keys = Array.from(store.outputs.timeline('a'), ({ key }) => key);
    assert.equal(store.outputs.postCount('a'), keys.length);
    await store.close();
    return keys;
  }

  const newestFirst = posts.map(({ key }) => key).reverse();

  it('are there when the store is opened again', async () => {
    assert.deepEqual(await listed(false), newestFirst);
  });

  it('are made again where an older program wrote posts without them', async () => {
    await change(({ timelines, meta }) => {
      void timelines?.clear();
      void meta.remove('timelines');
    });
    assert.deepEqual(await listed(false), []);
    assert.deepEqual(await listed(true), newestFirst);
    assert.deepEqual(await listed(false), newestFirst);
  });

  it('are made again when entries got lost', async () => {
    await change(({ timelines }) => {
      void timelines?.remove(['a', 149, 3, '149']);
    });
    assert.deepEqual(await listed(true), newestFirst);
  });

  it('are not made again when they follow from the posts there are', async () => {
    const other = '1 149 d';
    await change(({ timelines }) => {
      void timelines?.put(['a', 149, 3, '149'], other);
    });
    await listed(true);
    await change(({ timelines }) => assert.equal(timelines?.get(['a', 149, 3, '149']), other));
  });

  it('are damaged when an entry is older than its post, which a look through all and an examination find', async () => {
    await change(({ timelines }) => {
      void timelines?.put(['a', 149, 3, '149'], '1 149 d');
    });
    const store = await openStore(folder);
    await store.outputs.prepare();
    await assert.rejects(
      store.outputs.check(async () => true),
      /the entry of post 149 is missing, or older than the post/,
    );
    await store.close();
    const { parts } = await examined();
    assert.deepEqual(
      parts.flatMap(({ part, faults }) => (faults.length === 0 ? [] : [part])),
      ['timelines'],
    );
  });

  it("are not read from posts whose pages are at each other's places", async () => {
    const [first = 0, second = 0] = pagesOf(folder, 'latest', 'leaf');
    swapPages(filePath(folder), first, second);
    const store = await openStore(folder);
    assert.throws(() => store.outputs.latest('posts'), {
      code: 'STORE_CORRUPT',
      message: /latest: the rows .* are not in order/,
    });
    await store.close();
  });

  it('are damaged when a page of them is lost, which is found before they are read', async () => {
    const [leaf = 0] = pagesOf(folder, 'timelines', 'leaf');
    const [branch = 0] = pagesOf(folder, 'latest', 'branch');
    swapPages(filePath(folder), leaf, branch);
    const store = await openStore(folder);
    await assert.rejects(store.outputs.prepare(), {
      code: 'STORE_CORRUPT',
      message: /timelines: /,
    });
    await store.close();
  });

  it('follow from the posts after a repair', async () => {
    await change(({ timelines }) => {
      void timelines?.put(['a', 149, 3, '149'], '1 149 d');
    });
    const { lost, recomputes } = await rebuild(folder, { keepAs: 'db.before' });
    assert.deepEqual({ lost, recomputes }, { lost: [], recomputes: false });
    assert.deepEqual(await listed(true), newestFirst);
    const { parts } = await examined();
    assert.deepEqual(parts.filter(isDamaged), []);
  });

  async function examined() {
    const outcome = await copyParts({ source: environmentPath(folder), parts: PART_NAMES });
    assert.ok(outcome.is === 'read');
    return outcome;
  }
});
