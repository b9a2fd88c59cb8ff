import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_UNSENT_BYTES } from '../../../src/feed/transport/room.ts';
import { eventually } from '../../support/eventually.ts';
import { countersOutput, eventOutput } from '../../support/outputs.ts';
import { neverReadSubscribes, pingFlood } from '../../sweeps/hostile-feed.ts';
import type { FeedClient } from '../feed-client.ts';
import { type FeedServer, startFeed } from '../feed-server.ts';

const A = { account: 'account_a' };
/** So that few frames fill what the system buffers on its way. */
const LONG_TEXT = 'x'.repeat(20_000);

describe('what waits for a reader of the feed', () => {
  let server: FeedServer;
  let real = 0;
  beforeEach(async () => {
    server = await startFeed({ loaded: [eventOutput({ title: LONG_TEXT })] });
  });
  afterEach(() => server.stop());

  async function subscribed(channel = 'counters'): Promise<FeedClient> {
    const client = await server.connect();
    client.send({ op: 'subscribe', channels: [{ channel, ...A }] });
    await client.next('snapshot');
    return client;
  }

  /** Publishes until nothing goes out to a reader that does not read. */
  async function fill(client: FeedClient): Promise<void> {
    client.ws.pause();
    let sent = -1;
    await eventually('it is full', async () => {
      const before = sent;
      for (let count = 0; count < 20; count++) {
        real += 1;
        await server.turn(countersOutput({ real }));
        assert.ok(server.feed.figures().unsentBytes <= MAX_UNSENT_BYTES);
      }
      ({ sent } = server.feed.figures());
      return sent === before;
    });
  }

  it('is one pong at most, to the newest ping', async () => {
    const client = await subscribed();
    await fill(client);
    const { unsentBytes } = server.feed.figures();
    for (const payload of ['1', '2', '3', '4']) client.ws.ping(payload);
    await eventually('a pong waits', () => server.feed.figures().unsentBytes > unsentBytes);
    const pongs: string[] = [];
    client.ws.on('pong', (data) => pongs.push(String(data)));
    client.ws.resume();
    await eventually('the last pong', () => pongs.at(-1) === '4');
    assert.deepEqual(pongs, ['1', '4']);
    await client.close();
  });

  it('are answers to few messages, which come in order once it reads', async () => {
    const client = await subscribed();
    await fill(client);
    const { unsentBytes } = server.feed.figures();
    for (const id of [1, 2, 3]) client.send({ op: 'ping', id });
    client.send({ op: 'unsubscribe', id: 4, channels: [{ channel: 'counters' }] });
    await server.turn(countersOutput({ real: ++real }));
    assert.ok(server.feed.figures().unsentBytes <= unsentBytes);
    client.ws.resume();
    await client.next('unsubscribed');
    const ids = client.frames.flatMap((frame) => ('id' in frame && frame.id !== null ? [frame.id] : []));
    assert.deepEqual(ids, [1, 2, 3, 4]);
    await client.close();
  });

  it('ends the connection when it sends more than may wait, and leaves others alone', async () => {
    const bad = await subscribed();
    await fill(bad);
    const good = await subscribed();
    let isOver = false;
    const ended = eventually('it is closed', () => {
      if (bad.ws.readyState === bad.ws.OPEN) bad.send({ op: 'subscribe', channels: [{ channel: 'test' }] });
      const { connections, unsentBytes } = server.feed.figures();
      assert.ok(unsentBytes <= 2 * MAX_UNSENT_BYTES, `${unsentBytes} bytes wait`);
      return connections === 1;
    }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const seen = good.updates().length;
      await server.turn(countersOutput({ real: ++real }));
      await eventually('the other is served', () => good.updates().length > seen);
    }
    await ended;
    bad.ws.terminate();
    await good.close();
  });

  it('ends the connection of a client that floods it with control frames, and reads none of them', async () => {
    const good = await subscribed();
    const port = Number(new URL(server.url).port);
    const seen = await pingFlood({ port, connections: 8, durationMs: 60_000 });
    assert.equal(seen.closed, 8);
    assert.equal(server.feed.figures().closed.get(4029), 8);
    good.send({ op: 'ping', id: 'there' });
    await good.next('pong');
    await good.close();
  });

  it('is not taken from a client whose pings and pongs are few', async () => {
    const client = await subscribed();
    const pongs: string[] = [];
    client.ws.on('pong', (data) => pongs.push(String(data)));
    for (let count = 1; count <= 5; count++) {
      client.ws.ping(String(count));
      await eventually('a pong', () => pongs.length === count);
    }
    assert.deepEqual(pongs, ['1', '2', '3', '4', '5']);
    assert.equal(server.feed.figures().connections, 1);
    await client.close();
  });

  it('stays bounded while clients that never read subscribe over and over', async () => {
    const port = Number(new URL(server.url).port);
    let most = 0;
    const attack = neverReadSubscribes({ port, connections: 4, durationMs: 1_500 });
    let isOver = false;
    void attack.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await server.turn(...[1, 2, 3].map((more) => countersOutput({ real: real + more })));
      real += 3;
      await nextTurn();
      most = Math.max(most, server.feed.figures().unsentBytes);
    }
    await attack;
    assert.ok(most <= 4 * MAX_UNSENT_BYTES, `${most} bytes waited`);
  });
});
