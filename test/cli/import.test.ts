import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { record, temporaryFolder } from '../research/small-log.ts';
import { runInMemory } from './run-in-memory.ts';

describe('tallywire import', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'posts.jsonl');

  before(async () => {
    const store = await openStore(data);
    await record(store, { seconds: 30 });
    await store.close();
    writeFileSync(file, '{"id":"7","created_ts":"2026-01-01T00:00:00Z","text":"mine"}\n');
  });
  after(() => folder.remove());

  it('refuses a folder that an engine is using, and one that is not there', async () => {
    const lock = await lockFolder(data);
    const { code, stderr } = await runInMemory(['import', file, '--account', 'a', '--data', data]);
    await lock.release();
    assert.equal(code, 1);
    assert.match(stderr, /STORE_IN_USE|in use|writes to/);
    const missing = await runInMemory(['import', file, '--data', join(folder.path, 'none')]);
    assert.equal(missing.code, 1);
  });

  it('says why a file cannot be read', async () => {
    for (const [path, why] of [
      [join(folder.path, 'none.csv'), 'there is no such file or folder'],
      [folder.path, 'it is a folder, not a file'],
    ] as const) {
      const { code, stderr } = await runInMemory(['import', path, '--account', 'a', '--data', data]);
      assert.deepEqual([code, stderr], [1, `tallywire: ${path} cannot be read: ${why} (IMPORT_FILE)\n`]);
    }
  });

  it('says what is wrong with a row, and imports nothing', async () => {
    const { code, stderr } = await runInMemory(['import', file, '--data', data]);
    assert.equal(code, 1);
    assert.match(stderr, /line 1 has no account, which --account would name for all/);
  });

  it('imports posts that export shows with their mark', async () => {
    const { code, stdout } = await runInMemory(['import', file, '--account', 'a', '--data', data]);
    assert.equal(code, 0);
    assert.match(stdout, /^imported into .*data: 1 of a, seq \d+ to \d+\n$/);
    const again = await runInMemory(['import', file, '--account', 'a', '--data', data, '--json']);
    assert.deepEqual(JSON.parse(again.stdout), {
      ...{ type: 'import', data, posts: {}, first_seq: null, last_seq: null },
      ...{ repeated: 0, known: 1, for_next_start: false },
    });
    const out = join(folder.path, 'out.ndjson');
    await runInMemory(['export', 'posts', '--format', 'ndjson', '-o', out, '--data', data]);
    const store = await openStore(data, { readOnly: true });
    const post = store.outputs.get('posts', '7');
    await store.close();
    assert.ok(post?.stream === 'posts' && post.record.via === 'import');
    const verified = await runInMemory(['replay', '--verify', '--data', data]);
    assert.equal(verified.code, 0);
  });
});
