import assert from 'node:assert/strict';
import { proxiesOf } from '../../src/access/client-address.ts';
import { topicsOf } from '../../src/feed/channels.ts';
import { openFollowingFeed } from '../../src/feed/feed.ts';
import { createFollowedFrames, type FollowedFrames } from '../../src/feed/log/followed-frames.ts';
import { API_HEADERS } from '../../src/server/headers.ts';
import { start } from '../server/start.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryFrames } from '../support/memory-store/frames.ts';
import { countersOutput, eventOutput, FRESH_AGES, freshnessOutput, NOON } from '../support/outputs.ts';
import { connect, type FeedClient } from './feed-client.ts';
import { type FeedServer, startFeed } from './feed-server.ts';

const CHANNELS = ['counters', 'prediction'] as const;
/** Longer than any input may be silent. */
const LONG_MS = 3_600_000;

async function subscribe(client: FeedClient): Promise<FeedClient> {
  client.send({
    op: 'subscribe',
    channels: CHANNELS.map((channel) => ({ channel, account: 'account_a' })),
  });
  await client.next('snapshot', CHANNELS.length - 1);
  return client;
}

/** The inputs that the reader holds as stale in the only event. */
function heldAsStale(client: FeedClient, channel: string): unknown {
  const records = client.frames.flatMap((frame) => {
    if (frame.type === 'snapshot' && frame.channel === channel) return [frame.data[0]];
    return frame.type === 'update' && frame.channel === channel ? [frame.data] : [];
  });
  return records.at(-1)?.stale;
}

async function isHeldAsFresh(client: FeedClient): Promise<void> {
  await eventually('nothing is held as stale', () =>
    CHANNELS.every((channel) => JSON.stringify(heldAsStale(client, channel)) === '[]'),
  );
}

function isHeldAsStale(client: FeedClient, channel: string): boolean {
  return JSON.stringify(heldAsStale(client, channel)) === '["posts","oracle","ui","prices"]';
}

async function openWithEvent(): Promise<FeedServer> {
  const server = await startFeed();
  await server.turn(eventOutput({ eventId: 1 }), countersOutput({ eventId: 1, stale: [] }));
  await server.tick(FRESH_AGES);
  return server;
}

for (const key of [undefined, 'demo_pro']) {
  describe(`inputs that are late only since the last tick, for readers with ${key ?? 'no key'}`, () => {
    it('are corrected at the next tick where a snapshot listed them, though no output tells of it', async () => {
      const server = await openWithEvent();
      const before = await subscribe(await server.connect(key));
      await isHeldAsFresh(before);
      server.clock.now += LONG_MS;
      const late = await subscribe(await server.connect(key));
      for (const channel of CHANNELS) assert.ok(isHeldAsStale(late, channel), channel);
      server.skip(LONG_MS);
      await server.tick(FRESH_AGES);
      await isHeldAsFresh(late);
      // They are told with numbers, so that a reader that was away meanwhile is told too.
      for (const channel of CHANNELS) assert.equal(late.updates(channel).length, 1);
      await isHeldAsFresh(before);
      const counts = () => CHANNELS.map((channel) => before.updates(channel).length);
      const told = counts();
      await server.tick(FRESH_AGES);
      // It comes after whatever the tick brought.
      await subscribe(await server.connect(key));
      assert.deepEqual(counts(), told, 'they are told once');
      await server.stop();
    });

    it('are corrected at the next tick where a frame listed them', async () => {
      const server = await openWithEvent();
      const reader = await subscribe(await server.connect(key));
      server.clock.now += LONG_MS;
      server.skip(LONG_MS);
      await server.turn(countersOutput({ eventId: 1, real: 9, stale: [] }));
      await eventually('the frame lists them', () => isHeldAsStale(reader, 'counters'));
      await server.tick(FRESH_AGES);
      await isHeldAsFresh(reader);
      await server.stop();
    });
  });
}

describe('inputs that are late only since the last tick, on a machine whose frames another makes', () => {
  it('are corrected with a new snapshot for those who were told, once a tick comes', async () => {
    let frames: FollowedFrames | undefined;
    const running = await start({
      loaded: [
        eventOutput({ eventId: 1 }),
        countersOutput({ eventId: 1, stale: [] }),
        freshnessOutput(FRESH_AGES, { at: NOON }),
      ],
      feed({ latest, accounts, gate, now, staleAfterMs }) {
        const topics = topicsOf(accounts);
        frames = createFollowedFrames({
          epoch: 'of-the-cluster',
          topics,
          window: createMemoryFrames(),
          stored: [],
          storedUpTo: () => latest.seq,
        });
        return openFollowingFeed({
          latest,
          accounts,
          gate,
          now,
          staleAfterMs,
          topics,
          frames,
          proxies: proxiesOf([]),
          limits: {
            connections: 100,
            perAddress: 100,
            perKey: 100,
            connectsPerMinute: 100,
            replayBytesPerMinute: Number.MAX_SAFE_INTEGER,
          },
          mono: () => performance.now(),
          headers: API_HEADERS,
          answerTo: (error) => {
            throw error;
          },
          report: (error) => assert.fail(String(error)),
        });
      },
    });
    running.clock.now += LONG_MS;
    const late = await subscribe(await connect(running.url));
    for (const channel of CHANNELS) assert.ok(isHeldAsStale(late, channel), channel);
    const tick = freshnessOutput(FRESH_AGES, { at: NOON + LONG_MS, seq: 9 });
    running.latest.apply([tick], 9, NOON + LONG_MS);
    frames?.publish({ rows: [], tick, covers: () => true });
    await isHeldAsFresh(late);
    await running.stop();
  });
});
