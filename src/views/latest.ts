import { type Observable, Subject } from 'rxjs';
import { type AccountId, compareIds, type Output, type StreamName } from '../../streams/internal.ts';

export type OutputOf<S extends StreamName> = Extract<Output, { readonly stream: S }>;

/** The latest value of every stream, in memory: all that a reader ever looks at. */
export interface Latest {
  /** The last observation whose outputs are in, and when it was received. 0 before the first. */
  readonly seq: number;
  readonly at: number;
  get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined;
  all<S extends StreamName>(stream: S): Iterable<OutputOf<S>>;
  /** The account's posts, newest first by creation, then by id. */
  posts(account: AccountId): readonly OutputOf<'posts'>[];
  /** The outputs of one turn, after they have been put in and are durable. */
  readonly change$: Observable<readonly Output[]>;
}

/** What the engine may do with the latest values besides reading them. */
export interface LatestWriter extends Latest {
  /** Puts in the outputs of one turn, which ended with observation `seq` received at `at`, and announces them on `change$`. */
  apply(outputs: readonly Output[], seq: number, at: number): void;
  /** Puts in what was kept from an earlier run, without announcing it. */
  load(outputs: readonly Output[]): void;
  /** Forgets the value under a key, such as a post past its keeping time. */
  remove(stream: StreamName, key: string): void;
}

type PostOutput = OutputOf<'posts'>;

function newestFirst(a: PostOutput, b: PostOutput): number {
  return b.record.createdAt - a.record.createdAt || compareIds(b.record.id, a.record.id);
}

/** Where `post` is in `posts`, or belongs. */
function placeOf(posts: readonly PostOutput[], post: PostOutput): number {
  let low = 0;
  let high = posts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = posts[middle];
    if (there !== undefined && newestFirst(there, post) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function createLatest(): LatestWriter {
  const streams = new Map<StreamName, Map<string, Output>>();
  const timelines = new Map<AccountId, readonly PostOutput[]>();
  const changes$ = new Subject<readonly Output[]>();
  let lastSeq = 0;
  let lastAt = 0;

  function valuesOf(stream: StreamName): Map<string, Output> {
    const values = streams.get(stream) ?? new Map<string, Output>();
    streams.set(stream, values);
    return values;
  }

  /** Timelines are replaced, not changed, once per turn: whoever holds one holds that moment. */
  function put(outputs: readonly Output[]): void {
    const copies = new Map<AccountId, PostOutput[]>();
    for (const output of outputs) {
      const values = valuesOf(output.stream);
      if (output.stream === 'posts') {
        const { account } = output.record;
        const posts = copies.get(account) ?? [...(timelines.get(account) ?? [])];
        copies.set(account, posts);
        const known = values.get(output.key);
        if (known?.stream === 'posts') posts.splice(placeOf(posts, known), 1);
        posts.splice(placeOf(posts, output), 0, output);
      }
      values.set(output.key, output);
    }
    for (const [account, posts] of copies) timelines.set(account, posts);
  }

  return {
    get seq() {
      return lastSeq;
    },
    get at() {
      return lastAt;
    },
    // Values lie under the stream they name.
    get: <S extends StreamName>(stream: S, key: string) =>
      streams.get(stream)?.get(key) as OutputOf<S> | undefined,
    all: <S extends StreamName>(stream: S) => valuesOf(stream).values() as Iterable<OutputOf<S>>,
    posts: (account) => timelines.get(account) ?? [],
    change$: changes$.asObservable(),

    apply(outputs, seq, at) {
      put(outputs);
      lastSeq = seq;
      lastAt = at;
      changes$.next(outputs);
    },

    load(outputs) {
      put(outputs);
      for (const { seq, at } of outputs) {
        if (seq <= lastSeq) continue;
        lastSeq = seq;
        lastAt = at;
      }
    },

    remove(stream, key) {
      const values = valuesOf(stream);
      const output = values.get(key);
      if (output === undefined) return;
      values.delete(key);
      if (output.stream !== 'posts') return;
      const { account } = output.record;
      timelines.set(
        account,
        this.posts(account).filter((post) => post.key !== key),
      );
    },
  };
}
