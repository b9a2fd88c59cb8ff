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
import { mergePosts, timeOf } from './posts.ts';
import type { AccountState, Post } from './records.ts';
import { createSkew } from './skew.ts';
import type { Store } from './store.ts';

const PAGE = 100;
/** A month of a busy account. */
const MOST_TIMES = 6_000;
const MONTH_MS = 31 * 86_400_000;
/** More than are ever shown at once. */
const MOST_POSTS = 30;

export interface Session {
  readonly client: Client;
  /** Signals sized for another bankroll, USD. */
  size(bankroll: number, includeUnproven: boolean): void;
  end(): void;
}

export interface SessionOptions {
  /** Where the service is. */
  readonly url: string;
  readonly accounts: readonly string[];
  readonly key: string | undefined;
  readonly store: Store;
  /** The key does not do, and why. */
  readonly onRefused: (detail: string) => void;
}

/** Follows everything with one key, or without, until it is ended. */
export function openSession({ url, accounts, key, store, onRefused }: SessionOptions): Session {
  const client = createClient({ url, accounts, key });
  // After a longer absence how things are now tells more than a replay, but for posts, which are replayed in any case.
  const feed = client.feed({ replayWithinMs: 60_000 });
  const all = new Subscription();
  const skew = createSkew();
  const ended = new AbortController();
  let sizing = new Subscription();

  function fail(error: unknown): void {
    if (!(error instanceof TallywireError)) throw error;
    if (error.code === 'key_invalid') onRefused('The server does not know this key.');
    else if (error.code === 'tier_too_low') onRefused('Forecasts and signals need a key of tier PRO.');
    else store.change({ keyFault: `${error.code}: ${error.detail}` });
  }

  function follow<C extends DataChannel>(
    frame$: Observable<DataFrame<C>>,
    take: (records: readonly FeedRecord<C>[]) => void,
  ): Subscription {
    return frame$.pipe(byKey<C>()).subscribe({ next: (held) => take([...held.values()]), error: fail });
  }

  function takePosts(account: string, news: readonly Post[]): void {
    const { posts = [], times } = store.accountOf(account);
    store.changeAccount(account, {
      posts: mergePosts(posts, news, MOST_POSTS),
      times: mergePosts(times, news.map(timeOf), MOST_TIMES),
    });
  }

  /** Posts of before, which only a paying caller may page through. */
  async function readPast(account: string): Promise<void> {
    const oldest = Date.now() + store.state.skewMs - MONTH_MS;
    for (let offset = 0; offset < MOST_TIMES; offset += PAGE) {
      const { data } = await client.tweets(account, { limit: PAGE, offset }, { signal: ended.signal });
      // What came over the feed meanwhile is newer.
      const { times } = store.accountOf(account);
      store.changeAccount(account, { times: mergePosts(data.map(timeOf), times, MOST_TIMES) });
      const last = data.at(-1);
      if (data.length < PAGE || last === undefined || last.created_ts < oldest) return;
    }
  }

  function followAccount(account: string): void {
    const put = (part: Partial<AccountState>) => store.changeAccount(account, part);
    all.add(follow(feed.counters(account), (data) => put({ counters: data.toSorted(endsFirst) })));
    all.add(
      feed.tweets(account).subscribe({ next: (frame) => takePosts(account, postsIn(frame)), error: fail }),
    );
    all.add(follow(feed.lag(account), ([lag]) => put({ lag })));
    all.add(follow(feed.prediction(account), (data) => put({ predictions: data.toSorted(endsFirst) })));
    all.add(
      feed.prediction(account).subscribe({
        next(frame) {
          if (frame.type === 'snapshot' || frame.cause.length === 0) return;
          const stirs = new Map(store.accountOf(account).stirs);
          if (frame.data === null) stirs.delete(Number(frame.key));
          else stirs.set(Number(frame.key), { causes: frame.cause, at: frame.ts });
          put({ stirs });
        },
        // Told where the records are followed.
        error: () => undefined,
      }),
    );
    if (key === undefined) return;
    all.add(
      follow(feed.velocity(account), ([velocity]) => {
        if (store.state.key === 'trying') accept();
        put({ velocity });
      }),
    );
  }

  function accept(): void {
    store.change({ key: 'accepted', keyFault: undefined });
    for (const account of accounts) {
      readPast(account).catch((error: unknown) => {
        if (!ended.signal.aborted) fail(error);
      });
    }
  }

  store.change({ key: key === undefined ? 'none' : 'trying' });
  for (const account of accounts) {
    // Without a key it is not told which posts count: those of before are read anew.
    store.changeAccount(account, { velocity: undefined, signals: undefined, times: [] });
    followAccount(account);
  }
  all.add(
    feed.heartbeat().subscribe({
      next: (heartbeat) => store.change({ heartbeat, skewMs: skew.take(heartbeat.ts, Date.now()) }),
      error: () => undefined,
    }),
  );
  all.add(feed.status$.subscribe((status) => store.change({ status })));

  return {
    client,
    size(bankroll, includeUnproven) {
      sizing.unsubscribe();
      sizing = new Subscription();
      if (key === undefined) return;
      for (const account of accounts) {
        const frame$ = feed.signals(account, { bankroll, includeUnproven });
        sizing.add(
          follow(frame$, (data) => store.changeAccount(account, { signals: data.toSorted(endsFirst) })),
        );
      }
    },
    end() {
      ended.abort();
      sizing.unsubscribe();
      all.unsubscribe();
      feed.close();
    },
  };
}

function postsIn(frame: DataFrame<'tweets'>): readonly Post[] {
  if (frame.type === 'snapshot') return frame.data;
  return frame.data === null ? [] : [frame.data];
}

function endsFirst(a: { readonly end_ts: number }, b: { readonly end_ts: number }): number {
  return a.end_ts - b.end_ts;
}
