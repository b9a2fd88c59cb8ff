import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSocketFolder } from '../../src/store/socket-folder.ts';
import { withFolder } from '../support/store-records.ts';

/** Listens in the folder at one path, and connects at another. */
async function isReachable(listenAt: string, connectAt: string): Promise<boolean> {
  const server = createServer((caller) => caller.end());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listenAt, resolve));
  try {
    return await new Promise((resolve) => {
      const socket = connect(connectAt, () => resolve(true));
      socket.once('error', () => resolve(false)).resume();
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('openSocketFolder', () => {
  for (const platform of ['linux', 'darwin']) {
    it(`has its sockets in the folder itself, however long the path is, on ${platform}`, function () {
      if (platform === 'linux' && process.platform !== 'linux') this.skip();
      return withFolder(async (folder) => {
        for (const length of [1, 30, 90, 250]) {
          const data = join(folder, 'x'.repeat(length));
          mkdirSync(data);
          const [mine, theirs] = [openSocketFolder(data, platform), openSocketFolder(data, platform)];
          const path = mine.pathOf('a.sock');
          assert.ok(Buffer.byteLength(path) <= 100, path);
          assert.ok(await isReachable(path, theirs.pathOf('a.sock')));
          assert.deepEqual(readdirSync(data), [], 'a closed server removes its socket');
          mine.close();
          theirs.close();
        }
      });
    });
  }

  it('leaves no link in the temporary folder', () =>
    withFolder(async (folder) => {
      const data = join(folder, 'x'.repeat(200));
      mkdirSync(data);
      const sockets = openSocketFolder(data, 'darwin');
      const link = dirname(sockets.pathOf('a.sock'));
      assert.ok(link.startsWith(tmpdir()) && existsSync(link));
      sockets.close();
      assert.ok(!existsSync(dirname(link)));
    }));
});
