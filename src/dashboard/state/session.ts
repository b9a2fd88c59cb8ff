import { type Observable, Subscription } from 'rxjs';
import {
  byKey,
  type Client,
  createClient,
  type DataChannel,
  type DataFrame,
  type FeedRecord,
  TallywireError,
} from '../../client/browser.ts';
import { DAY_MS, MINUTE_MS } from '../time-spans.ts';
import { createClockOffset } from './clock-offset.ts';
import { mergePosts, timeOf } from './posts.ts';
import type { AccountState, Post, PostTime } from './records.ts';
import type { Store } from './store.ts';

const PAGE = 100;
/** Posts of a busy account in a month. */
const MOST_TIMES = 6_000;
const MONTH_MS = 31 * DAY_MS;
/** More than the page ever shows at once. */
const MOST_POSTS = 30;

/**
 * Somebody looks at the page and waits, so tries begin at most 5 s apart, answered or not; a browser itself slows down a tab
 * that nobody sees.
 */
const RECONNECT = { minMs: 500, maxMs: 5_000, handshakeMs: 4_500 };

export interface Session {
  readonly client: Client;
  /** Sends no key, for what everyone may read: it is also read while the key is tried, and when it was refused. */
  readonly keylessClient: Client;
  /** Follows the accounts of the store, and no longer those that are not in it. */
  followAccounts(): void;
  /** Replaces the followed signals by those for this bankroll, USD. */
  followSignals(bankroll: number, includeUnproven: boolean): void;
  close(): void;
}

interface SessionOptions {
  /** Address of the service. */
  readonly url: string;
  readonly key: string | undefined;
  /** The same in all sessions, so that what it has read stays when the key changes. */
  readonly keylessClient: Client;
  readonly store: Store;
  /** The server refused the key. */
  readonly onRefused: (detail: string) => void;
}

interface Following {
  readonly records: Subscription;
  signals: Subscription;
}

/** Follows all channels of the store's accounts with one key, or without a key, and writes the records to the store. */
export function openSession({ url, key, keylessClient, store, onRefused }: SessionOptions): Session {
  const client = createClient({ url, key });
  // After a longer absence the present records matter more than a replay. Posts are replayed in any case.
  const feed = client.feed({ replayWithinMs: MINUTE_MS, heartbeatOf: 'followed', reconnect: RECONNECT });
  const subscriptions = new Subscription();
  const clockOffset = createClockOffset();
  const closed = new AbortController();
  const followed = new Map<string, Following>();
  let sizing: { readonly bankroll: number; readonly includeUnproven: boolean } | undefined;

  function fail(error: unknown): void {
    if (!(error instanceof TallywireError)) throw error;
    if (error.code === 'key_invalid') onRefused('The server does not know this key.');
    else if (error.code === 'tier_too_low') onRefused('Forecasts and signals need a key of tier PRO.');
    else store.change({ keyFault: `${error.code}: ${error.detail}` });
  }

  function follow<C extends DataChannel>(
    frame$: Observable<DataFrame<C>>,
    onRecords: (records: readonly FeedRecord<C>[]) => void,
  ): Subscription {
    return frame$
      .pipe(byKey<C>())
      .subscribe({ next: (records) => onRecords([...records.values()]), error: fail });
  }

  function addPosts(account: string, newer: readonly Post[], isSnapshot: boolean): void {
    const { posts = [], times } = store.accountOf(account);
    // After a long absence there may be posts between those known and those of the snapshot.
    const hasHole = isSnapshot && times.length > 0 && !newer.some(({ tweet_id }) => isIn(times, tweet_id));
    store.changeAccount(account, {
      posts: mergePosts(posts, newer, MOST_POSTS),
      times: mergePosts(hasHole ? [] : times, newer.map(timeOf), MOST_TIMES),
    });
    if (hasHole && store.state.key === 'accepted') readOlderPosts(account);
  }

  /** Earlier posts, which need a key. */
  async function loadOlderPosts(account: string): Promise<void> {
    const oldest = Date.now() + store.state.clockOffsetMs - MONTH_MS;
    for (let offset = 0; offset < MOST_TIMES; offset += PAGE) {
      const { data } = await client.tweets(account, { limit: PAGE, offset }, { signal: closed.signal });
      if (!followed.has(account)) return;
      // Posts that came over the feed in the meantime are newer.
      const { times } = store.accountOf(account);
      store.changeAccount(account, { times: mergePosts(data.map(timeOf), times, MOST_TIMES) });
      const last = data.at(-1);
      if (data.length < PAGE || last === undefined || last.created_ts < oldest) return;
    }
  }

  function followAccount(account: string): Subscription {
    const records = new Subscription();
    const change = (part: Partial<AccountState>) => store.changeAccount(account, part);
    records.add(follow(feed.counters(account), (data) => change({ counters: data.toSorted(endsFirst) })));
    records.add(
      feed.tweets(account).subscribe({
        next: (frame) => addPosts(account, postsIn(frame), frame.type === 'snapshot'),
        error: fail,
      }),
    );
    records.add(follow(feed.lag(account), ([lag]) => change({ lag })));
    records.add(
      follow(feed.prediction(account), (data) => change({ predictions: data.toSorted(endsFirst) })),
    );
    records.add(
      feed.prediction(account).subscribe({
        next(frame) {
          if (frame.type === 'snapshot' || frame.cause.length === 0) return;
          const forecastUpdates = new Map(store.accountOf(account).forecastUpdates);
          if (frame.data === null) forecastUpdates.delete(Number(frame.key));
          else forecastUpdates.set(Number(frame.key), { causes: frame.cause, at: frame.ts });
          change({ forecastUpdates });
        },
        // The subscription to the records handles it.
        error: () => undefined,
      }),
    );
    if (key === undefined) return records;
    records.add(
      follow(feed.velocity(account), ([velocity]) => {
        if (store.state.key === 'trying') accept();
        change({ velocity });
      }),
    );
    return records;
  }

  function followSignalsOf(account: string, following: Following): void {
    following.signals.unsubscribe();
    if (key === undefined || sizing === undefined) return;
    following.signals = follow(feed.signals(account, sizing), (data) =>
      store.changeAccount(account, { signals: data.toSorted(endsFirst) }),
    );
  }

  function followAccounts(): void {
    const wanted = store.state.accounts;
    for (const [account, { records, signals }] of followed) {
      if (wanted.has(account)) continue;
      records.unsubscribe();
      signals.unsubscribe();
      followed.delete(account);
    }
    for (const account of wanted.keys()) {
      if (followed.has(account)) continue;
      const following = { records: new Subscription(), signals: new Subscription() };
      followed.set(account, following);
      following.records.add(followAccount(account));
      followSignalsOf(account, following);
      if (store.state.key === 'accepted') readOlderPosts(account);
    }
  }

  function accept(): void {
    store.change({ key: 'accepted', keyFault: undefined });
    for (const account of followed.keys()) readOlderPosts(account);
  }

  function readOlderPosts(account: string): void {
    loadOlderPosts(account).catch((error: unknown) => {
      if (!closed.signal.aborted) fail(error);
    });
  }

  store.change({ key: key === undefined ? 'none' : 'trying' });
  for (const account of store.state.accounts.keys()) {
    // Whether a post counts depends on the key, so the times of earlier posts are loaded again.
    store.changeAccount(account, { velocity: undefined, signals: undefined, times: [] });
  }
  followAccounts();
  subscriptions.add(
    feed.heartbeat().subscribe({
      next(heartbeat) {
        const before = store.state.heartbeat?.history_percent ?? {};
        store.change({ heartbeat, clockOffsetMs: clockOffset.update(heartbeat.ts, Date.now()) });
        if (store.state.key !== 'accepted') return;
        // Posts that the server had not read when they were first asked for.
        for (const account of followed.keys()) {
          const wasReading = (before[account] ?? 100) < 100;
          if (wasReading && heartbeat.history_percent[account] === 100) readOlderPosts(account);
        }
      },
      error: () => undefined,
    }),
  );
  subscriptions.add(feed.status$.subscribe((status) => store.change({ status })));

  return {
    client,
    keylessClient,
    followAccounts,
    followSignals(bankroll, includeUnproven) {
      sizing = { bankroll, includeUnproven };
      for (const [account, following] of followed) followSignalsOf(account, following);
    },
    close() {
      closed.abort();
      for (const { records, signals } of followed.values()) {
        records.unsubscribe();
        signals.unsubscribe();
      }
      subscriptions.unsubscribe();
      feed.close();
    },
  };
}

function isIn(times: readonly PostTime[], id: string): boolean {
  return times.some(({ tweet_id }) => tweet_id === id);
}

function postsIn(frame: DataFrame<'tweets'>): readonly Post[] {
  if (frame.type === 'snapshot') return frame.data;
  return frame.data === null ? [] : [frame.data];
}

function endsFirst(a: { readonly end_ts: number }, b: { readonly end_ts: number }): number {
  return a.end_ts - b.end_ts;
}
