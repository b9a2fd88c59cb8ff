import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { BUSY_EVENTS, busyCounters, busyForecast, busyOutputs, busyPost } from '../dashboard/busy-outputs.ts';
import { startFeed } from '../feed/feed-server.ts';
import { sendToParent } from '../support/child.ts';
import { FRESH_AGES, NOON } from '../support/outputs.ts';

// The server with its feed and its store, fed by hand: every 20 ms a counter moves, every second each forecast and its
// signals, and every other second somebody posts. Ends on request, or with its parent.

const MOVE_EVERY_MS = 20;
const PER_SECOND = 1_000 / MOVE_EVERY_MS;

const folder = await mkdtemp(join(tmpdir(), 'tallywire-busy-'));
const store = await openStore(folder);
const server = await startFeed({ store, loaded: busyOutputs() });
let isEnding = false;
for (const end of ['SIGTERM', 'disconnect']) {
  process.once(end, () => {
    isEnding = true;
  });
}
await server.tick(FRESH_AGES);
sendToParent({ url: server.url });

const startedAt = performance.now();
for (let move = 1; !isEnding; move++) {
  // By the clock, so that what a busy machine held up is caught up with.
  await delay(Math.max(0, startedAt + move * MOVE_EVERY_MS - performance.now()));
  const event = BUSY_EVENTS[move % BUSY_EVENTS.length];
  if (event === undefined) break;
  const lap = Math.floor(move / BUSY_EVENTS.length);
  await server.turn(busyCounters(event, lap % 7));
  if (move % PER_SECOND !== 0) continue;
  const second = move / PER_SECOND;
  await server.turn(...BUSY_EVENTS.flatMap((each) => busyForecast(each, Math.sin(second / 9))));
  if (second % 2 === 0) {
    const madeAt = NOON + second * 1_000;
    const account = second % 4 === 0 ? 'a' : 'b';
    await server.turn(busyPost(account, 1_000_000 + second, { createdAt: madeAt, seenAt: madeAt + 600 }));
  }
  await server.tick(FRESH_AGES);
}
await server.stop();
await store.close();
await rm(folder, { recursive: true });
if (process.connected) process.disconnect();
