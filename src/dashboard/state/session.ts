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
import { mergePosts } from './posts.ts';
import type { AccountState, Post } from './records.ts';
import type { Store } from './store.ts';

const PAGE = 100;
/** A month of a busy account. */
const MOST_PAGES = 60;
const MONTH_MS = 31 * 86_400_000;
/** Posts older than this are no news, whenever they come. */
const FRESH_MS = 120_000;

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
  /** The server does not know the key. */
  readonly onRefused: (detail: string) => void;
}

/** Follows everything with one key, or without, until it is ended. */
export function openSession({ url, accounts, key, store, onRefused }: SessionOptions): Session {
  const client = createClient({ url, accounts, key });
  const feed = client.feed();
  const all = new Subscription();
  const ended = new AbortController();
  let sizing = new Subscription();

  function fail(error: unknown): void {
    if (!(error instanceof TallywireError)) throw error;
    if (error.code === 'key_invalid') onRefused('The server does not know this key.');
    else if (error.code === 'tier_too_low')
      store.change({ keyFault: 'This key has no access to forecasts.' });
    else store.change({ keyFault: `${error.code}: ${error.detail}` });
  }

  function follow<C extends DataChannel>(
    frame$: Observable<DataFrame<C>>,
    take: (records: readonly FeedRecord<C>[]) => void,
  ): Subscription {
    return frame$.pipe(byKey<C>()).subscribe({ next: (held) => take([...held.values()]), error: fail });
  }

  function takePosts(account: string, frame: DataFrame<'tweets'>): void {
    const news = frame.type === 'snapshot' ? frame.data : frame.data === null ? [] : [frame.data];
    const known = store.state.accounts.get(account)?.posts ?? [];
    store.changeAccount(account, { posts: mergePosts(known, news) });
    if (frame.type === 'snapshot') return;
    const fresh = news.filter((post) => frame.ts - post.created_ts < FRESH_MS && post.deleted_ts === null);
    if (fresh.length === 0) return;
    store.change({ fresh: new Set([...store.state.fresh, ...fresh.map((post) => post.tweet_id)]) });
  }

  /** Posts of before, which only a paying caller may page through. */
  async function readPast(account: string): Promise<void> {
    const oldest = Date.now() + store.state.skewMs - MONTH_MS;
    const read: Post[] = [];
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data } = await client.tweets(
        account,
        { limit: PAGE, offset: page * PAGE },
        { signal: ended.signal },
      );
      read.push(...data);
      const last = data.at(-1);
      const isDone = data.length < PAGE || last === undefined || last.created_ts < oldest;
      // Shown in a few steps: the newest at once, the month when it is whole.
      if (page === 0 || page % 10 === 9 || isDone) {
        store.changeAccount(account, {
          posts: mergePosts(read, store.state.accounts.get(account)?.posts ?? []),
        });
      }
      if (isDone) return;
    }
  }

  function followAccount(account: string): void {
    const put = (part: Partial<AccountState>) => store.changeAccount(account, part);
    all.add(follow(feed.counters(account), (data) => put({ counters: data.toSorted(endsFirst) })));
    all.add(feed.tweets(account).subscribe({ next: (frame) => takePosts(account, frame), error: fail }));
    all.add(follow(feed.lag(account), ([lag]) => put({ lag })));
    all.add(follow(feed.prediction(account), (data) => put({ predictions: data.toSorted(endsFirst) })));
    all.add(
      feed.prediction(account).subscribe({
        next(frame) {
          if (frame.type === 'snapshot' || frame.cause.length === 0) return;
          const stirs = store.state.accounts.get(account)?.stirs ?? new Map();
          put({ stirs: new Map(stirs).set(Number(frame.key), { causes: frame.cause, at: frame.ts }) });
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
  for (const account of accounts) store.changeAccount(account, { velocity: undefined, signals: undefined });
  for (const account of accounts) followAccount(account);
  all.add(
    feed.heartbeat().subscribe({
      next: (heartbeat) => store.change({ heartbeat, skewMs: heartbeat.ts - Date.now() }),
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

function endsFirst(a: { readonly end_ts: number }, b: { readonly end_ts: number }): number {
  return a.end_ts - b.end_ts;
}
