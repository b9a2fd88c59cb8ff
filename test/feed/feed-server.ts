import { proxiesOf } from '../../src/access/client-address.ts';
import type { KeyLookup } from '../../src/access/keys/key-lookup.ts';
import { type Feed, openFeed } from '../../src/feed/feed.ts';
import type { FeedLimits } from '../../src/feed/transport/connection-limits.ts';
import { CONNECTION_TIMES, type ConnectionTimes } from '../../src/feed/transport/websockets.ts';
import { internalError, refusal } from '../../src/server/error-answer.ts';
import { API_HEADERS } from '../../src/server/headers.ts';
import type { Store } from '../../src/store/store.ts';
import type { AccountPath } from '../../src/views/account-path.ts';
import type { Output } from '../../streams/internal.ts';
import { type Running, type Start, start } from '../server/start.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { freshnessOutput, NOON } from '../support/outputs.ts';
import { connect, type FeedClient } from './feed-client.ts';

export interface FeedServer extends Running {
  readonly feed: Feed;
  readonly failures: unknown[];
  /** One turn of the engine: stored, then published, like the engine does it. */
  turn(...outputs: readonly Output[]): Promise<void>;
  /** A turn with a tick in it, a second later than the last. */
  tick(ages?: Readonly<Record<string, number>>, stale?: readonly string[]): Promise<void>;
  /** Lets time pass in which nothing happens. */
  skip(ms: number): void;
  connect(key?: string): Promise<FeedClient>;
}

export interface FeedServerOptions {
  readonly store?: Store;
  readonly loaded?: readonly Output[];
  readonly accounts?: readonly AccountPath[];
  readonly keys?: KeyLookup;
  readonly limits?: Partial<FeedLimits>;
  /** Of requests over HTTP; without them nobody is limited. */
  readonly http?: Pick<Start, 'limits' | 'shares'>;
  readonly times?: Partial<ConnectionTimes>;
  /** Of the last observation before. */
  readonly seq?: number;
}

/** Enough that a test meets no limit it is not about. */
const ROOMY: FeedLimits = {
  connections: 12_000,
  perAddress: 1_000,
  perKey: 1_000,
  connectsPerMinute: 100_000,
  replayBytesPerMinute: Number.MAX_SAFE_INTEGER,
};

export async function startFeed(options: FeedServerOptions = {}): Promise<FeedServer> {
  const { store = createMemoryStore(), loaded = [], limits, times } = options;
  const failures: unknown[] = [];
  let opened: Feed | undefined;
  const running = await start({
    loaded,
    ...(options.keys ? { keys: options.keys } : {}),
    ...(options.accounts ? { deps: { accounts: options.accounts } } : {}),
    ...options.http,
    feed({ latest, accounts, gate, now, staleAfterMs }) {
      opened = openFeed({
        latest,
        accounts,
        gate,
        now,
        staleAfterMs,
        window: store.feed,
        outputs: store.outputs,
        proxies: proxiesOf([]),
        limits: { ...ROOMY, ...limits },
        times: { ...CONNECTION_TIMES, closeMs: 200, ...times },
        mono: () => performance.now(),
        headers: API_HEADERS,
        answerTo: (error) => refusal(error) ?? internalError(),
        report: (error) => failures.push(error),
      });
      return opened;
    },
  });
  if (opened === undefined) throw new Error('the feed was not opened');
  const feed = opened;
  let seq = Math.max(options.seq ?? 0, running.latest.seq, store.outputs.upTo);
  let at = Math.max(NOON, running.latest.at);

  async function turn(...outputs: readonly Output[]): Promise<void> {
    const placed = outputs.map((output) => ({ ...output, seq: ++seq, at }));
    await store.outputs.append(placed, seq);
    running.latest.apply(placed, seq, at);
  }

  return {
    ...running,
    feed,
    failures,
    turn,
    tick(ages = {}, stale = []) {
      at += 1_000;
      running.clock.now = at;
      const listedAt = { posts: at, crypto: at };
      return turn(freshnessOutput(ages, {}, { stale, listedAt }));
    },
    skip(ms) {
      at += ms;
    },
    connect: (key) => connect(running.url, key === undefined ? {} : { 'X-API-Key': key }),
  };
}
