import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, openEnvironment } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { postOutput } from '../../support/store-records.ts';

const posts = Array.from({ length: 150 }, (_, n) => ({
  ...postOutput(1, String(n), n, 'text', 'a'),
  key: String(n),
}));

describe('timelines', () => {
  let folder = '';
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-timelines-'));
    const store = await openStore(folder);
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

  it('are left as they are when they follow from the posts there are', async () => {
    await change(({ timelines }) => {
      void timelines?.remove(['a', 149, 3, '149']);
    });
    assert.deepEqual(await listed(true), newestFirst.slice(1));
  });
});
