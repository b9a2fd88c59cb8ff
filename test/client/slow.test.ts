import assert from 'node:assert/strict';
import { byKey, createClient } from '../../src/client/node.ts';
import { startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, postOutput } from '../support/outputs.ts';
import { openCuttingProxy } from '../sweeps/cutting-proxy.ts';

/** More than the system buffers for a socket that is not read. */
const POSTS = 600;
const LONG_TEXT = 'x'.repeat(30_000);
const PATIENCE_MS = 60_000;

describe('a reader too slow for the feed', function () {
  this.timeout(4 * PATIENCE_MS);

  it('is disconnected, comes back, and receives every post once and the newest counters', async () => {
    const server = await startFeed();
    const proxy = await openCuttingProxy();
    proxy.aim(server.url);
    const feed = createClient({ url: proxy.url, key: 'demo_pro' }).feed({
      reconnect: { minMs: 5, maxMs: 20 },
    });
    const posts: string[] = [];
    const causes: (number | undefined)[] = [];
    let real: number | null | undefined;
    try {
      await server.turn(eventOutput({ eventId: 7 }), countersOutput({ eventId: 7, real: 0 }));
      feed.tweets('account_a').subscribe((frame) => {
        if (frame.type === 'update') posts.push(frame.key);
      });
      feed
        .counters('account_a')
        .pipe(byKey())
        .subscribe((events) => {
          real = events.get('7')?.real_counter;
        });
      feed.status$.subscribe((status) => {
        if (status.state === 'down') causes.push(status.code);
      });
      await eventually('it is there', () => real === 0);
      proxy.stall();
      for (let number = 1; number <= POSTS; number++) {
        await server.turn(
          postOutput({ id: String(number), account: 'a', text: LONG_TEXT }),
          countersOutput({ eventId: 7, real: number }),
        );
      }
      const isDisconnected = () => (server.feed.figures().closed.get(4008) ?? 0) > 0;
      await eventually('it is disconnected', isDisconnected);
      proxy.resume();
      await eventually('it has all', () => posts.length >= POSTS && real === POSTS);
      assert.deepEqual(
        posts,
        Array.from({ length: POSTS }, (_, index) => String(index + 1)),
      );
      assert.deepEqual(server.failures, []);
      assert.ok(causes.length > 0);
    } finally {
      feed.close();
      await proxy.close();
      await server.stop();
    }
  });
});
