import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/browser.ts';
import { startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { openCuttingProxy } from '../sweeps/cutting-proxy.ts';

/** Prints the position of each frame of the test channel, and the events of the feed. */
const FOLLOWER = `
  const { createClient } = await import(process.argv[1]);
  const feed = createClient({ url: process.argv[2], key: 'demo_pro' }).feed({ reconnect: { minMs: 5, maxMs: 20 } });
  feed.event$.subscribe((event) => console.log(JSON.stringify(event)));
  feed.test().subscribe(({ type, seq }) => console.log(type + ' ' + seq));
`;

const PATIENCE_MS = 60_000;

describe('the client in a browser', function () {
  this.timeout(4 * PATIENCE_MS);

  it('uses the WebSocket of the platform', async () => {
    const before: unknown = Reflect.get(globalThis, 'WebSocket');
    let made = 0;
    class PlatformSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        made += 1;
      }
    }
    const server = await startFeed();
    Reflect.set(globalThis, 'WebSocket', PlatformSocket);
    try {
      const client = createClient({ url: server.url, key: 'demo_pro' });
      assert.equal((await firstValueFrom(client.feed().velocity('account_a'))).type, 'snapshot');
      assert.equal(made, 1);
    } finally {
      Reflect.set(globalThis, 'WebSocket', before);
      await server.stop();
    }
  });

  it('survives lost connections with the WebSocket of Node, which has the interface of browsers', async () => {
    const server = await startFeed();
    const proxy = await openCuttingProxy();
    proxy.aim(server.url);
    const entry = String(new URL('../../src/client/browser.js', import.meta.url));
    // Node 20 has it behind a flag.
    const flags = ['--no-warnings', '--experimental-websocket', '--input-type=module'];
    const child = spawn(process.execPath, [...flags, '--eval', FOLLOWER, entry, proxy.url]);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        printed += bytes;
      });
    }
    const lines = () => printed.trim().split('\n');
    try {
      await eventually('the snapshot', () => printed.startsWith('snapshot '));
      const start = Number(lines()[0]?.split(' ')[1]);
      for (let count = 1; count <= 6; count++) {
        if (count % 2 === 0) proxy.cutNow();
        await server.tick();
        await eventually('the update', () => lines().length === count + 1).catch(() => assert.fail(printed));
      }
      const expected = Array.from({ length: 6 }, (_, index) => `update ${start + 1 + index}`);
      assert.deepEqual(lines().slice(1), expected);
    } finally {
      child.kill();
      await proxy.close();
      await server.stop();
    }
  });
});
