import assert from 'node:assert/strict';
import { type Attack, lasting } from './attack.ts';
import { sweepSlowLoris } from './hostile.ts';
import { neverReadEventStreams, neverReadSubscribes, pingFlood, replayStorm } from './hostile-feed.ts';
import { HTTP_ATTACKS } from './hostile-http.ts';
import { OVERSIZE } from './oversize.ts';
import { exchangeRaw, pouring, statusesIn } from './raw-http.ts';
import { SMUGGLED } from './smuggling.ts';

const OVERSIZE_ROUNDS = 20;

/** Everything that anyone can try without a key. */
export const ATTACKS: readonly Attack[] = [
  ...HTTP_ATTACKS,
  lasting('pings never read', pingFlood),
  lasting('subscriptions never read', neverReadSubscribes),
  lasting('event streams never read', neverReadEventStreams),
  lasting('replays of everything', replayStorm),
  {
    name: 'requests that come byte by byte',
    async run({ port, connections }) {
      const { lastClosedMs } = await sweepSlowLoris({ port }, connections);
      return `the last let go after ${(lastClosedMs / 1_000).toFixed(1)} s`;
    },
  },
  {
    name: 'smuggled requests',
    async run({ port }) {
      for (const { what, bytes, statuses } of SMUGGLED) {
        assert.deepEqual(statusesIn((await exchangeRaw({ port, bytes })).text), statuses, what);
      }
      return `${SMUGGLED.length} requests`;
    },
  },
  {
    name: 'oversize requests',
    async run({ port }) {
      const large = OVERSIZE.flatMap((each) => Array.from({ length: OVERSIZE_ROUNDS }, () => each));
      for (const { what, head, more, statuses } of large) {
        const { text } = await exchangeRaw({ port, bytes: head, drip: pouring(more) });
        // Whoever is still sending when the answer comes may lose it with the connection.
        if (text !== '') assert.deepEqual(statusesIn(text), statuses, what);
      }
      return `${large.length} requests`;
    },
  },
];
