import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, NOON, postOutput } from '../support/outputs.ts';
import { type FeedServer, startFeed } from './feed-server.ts';

const A = { account: 'account_a' };
const EVENT_IDS = [1, 2, 3];
/** Enough to fill what the system buffers on its way many times over. */
const ROUNDS = 200;
const LONG_TEXT = 'x'.repeat(40_000);

describe('a slow reader', () => {
  let server: FeedServer;
  beforeEach(async () => {
    server = await startFeed({
      loaded: EVENT_IDS.map((eventId) => eventOutput({ eventId, title: LONG_TEXT })),
    });
  });
  afterEach(() => server.stop());

  async function reader(channel: string) {
    const client = await server.connect('demo_pro');
    client.send({ op: 'subscribe', channels: [{ channel, ...A }] });
    await client.next('snapshot');
    return client;
  }

  it('gets the newest of every event, and how many frames that left out', async () => {
    const slow = await reader('counters');
    const quick = await reader('counters');
    slow.ws.pause();
    for (let real = 0; real < ROUNDS; real++) {
      await server.turn(...EVENT_IDS.map((eventId) => countersOutput({ eventId, real: real + eventId })));
      await eventually('the other keeps up', () => quick.updates().length === 3 * (real + 1));
    }
    slow.ws.resume();
    const last = quick.updates().at(-1)?.seq;
    await eventually('it is up to date', () => slow.updates().at(-1)?.seq === last);
    const frames = slow.updates();
    const merged = frames.reduce((sum, frame) => sum + (frame.merged ?? 0), 0);
    assert.ok(merged > 0 && frames.length < 3 * ROUNDS);
    assert.equal(frames.length + merged, 3 * ROUNDS);
    for (const [index, frame] of frames.entries()) {
      if (index > 0) assert.equal(frame.prev_seq, frames[index - 1]?.seq);
      assert.equal(frame.merged ?? 0, frame.seq - frame.prev_seq - 1);
    }
    const finals = EVENT_IDS.map(
      (id) => frames.findLast(({ key }) => key === String(id))?.data?.real_counter,
    );
    assert.deepEqual(
      finals,
      EVENT_IDS.map((id) => ROUNDS - 1 + id),
    );
    assert.equal(server.feed.figures().merged, merged);
  });

  it('of posts is closed with 4008 when it is more than 1 MiB behind, and can resume', async () => {
    const slow = await reader('tweets');
    slow.ws.pause();
    const total = 300;
    for (let id = 1; id <= total; id++)
      await server.turn(postOutput({ id: String(id), text: LONG_TEXT, createdAt: NOON }));
    await eventually('it is closed', () => server.feed.figures().closed.get(4008) === 1);
    slow.ws.resume();
    await slow.closed();
    const seen = slow.updates();
    const seq = seen.at(-1)?.seq ?? 0;
    const again = await server.connect('demo_pro');
    again.send({
      op: 'subscribe',
      channels: [{ channel: 'tweets', ...A }],
      resume: { epoch: server.feed.epoch, seq },
    });
    await eventually('it has the rest', () => seen.length + again.updates().length === total);
    const keys = [...seen, ...again.updates()].map(({ key }) => Number(key));
    assert.deepEqual(
      keys,
      Array.from({ length: total }, (_, index) => index + 1),
    );
  });

  it('holds no more of the memory than its share, whatever is published', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => stalled(server.url)));
    await eventually('all are in', () => server.feed.figures().connections === 20);
    for (let round = 0; round < 200; round++) {
      await server.turn(...EVENT_IDS.map((eventId) => countersOutput({ eventId, real: round })));
      await server.tick();
    }
    const { unsentBytes, connections } = server.feed.figures();
    assert.equal(connections, 20);
    // A frame of these is 40 KB; three that are sent together, and may follow on 16 KB, are 120 KB.
    assert.ok(unsentBytes > 0 && unsentBytes < 20 * 140_000, String(unsentBytes));
    for (const socket of sockets) socket.destroy();
  });
});

/** Subscribes to predictions by hand and never reads. */
async function stalled(url: string): Promise<Socket> {
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'GET /api/v1/feed HTTP/1.1',
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const payload = Buffer.from(
    JSON.stringify({ op: 'subscribe', channels: [{ channel: 'prediction', ...A }] }),
  );
  // Masked with zeros, which leaves it as it is.
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
  return socket;
}
