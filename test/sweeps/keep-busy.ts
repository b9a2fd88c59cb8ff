import { setTimeout as delay } from 'node:timers/promises';
import { BUSY_EVENTS, busyCounters, busyForecast, busyPost } from '../dashboard/busy-outputs.ts';
import type { FeedServer } from '../feed/feed-server.ts';
import { FRESH_AGES, NOON } from '../support/outputs.ts';

const MOVE_EVERY_MS = 20;
const PER_SECOND = 1_000 / MOVE_EVERY_MS;

/** Every 20 ms a counter moves, every second each forecast and its signals, and every other second somebody posts. */
export async function keepBusy(server: FeedServer, isEnding: () => boolean): Promise<void> {
  const startedAt = performance.now();
  for (let move = 1; !isEnding(); move++) {
    // By the clock, so that what a busy machine held up is caught up with.
    await delay(Math.max(0, startedAt + move * MOVE_EVERY_MS - performance.now()));
    const event = BUSY_EVENTS[move % BUSY_EVENTS.length];
    if (event === undefined) return;
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
}
