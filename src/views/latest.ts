import { type Observable, Subject } from 'rxjs';
import { type AccountId, compareIds, type Output, type StreamName } from '../../streams/internal.ts';

export type OutputOf<S extends StreamName> = Extract<Output, { readonly stream: S }>;

/** The latest output of every key of every stream, in memory. Readers see nothing else. */
export interface Latest {
  /** The last observation whose outputs are included, and when it was received; 0 before the first. */
  readonly seq: number;
  readonly at: number;
  get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined;
  all<S extends StreamName>(stream: S): Iterable<OutputOf<S>>;
  /** The account's posts, newest first by creation, then by id. */
  posts(account: AccountId): readonly OutputOf<'posts'>[];
  /** The outputs of each turn, once they are stored and included here. */
  readonly change$: Observable<readonly Output[]>;
}

export interface LatestWriter extends Latest {
  /** Adds the outputs of a turn that ended with observation `seq`, received at `at`, and announces them on `change$`. */
  apply(outputs: readonly Output[], seq: number, at: number): void;
  /** Adds stored outputs without announcing them. */
  load(outputs: readonly Output[]): void;
  remove(stream: StreamName, key: string): void;
}

type PostOutput = OutputOf<'posts'>;

/** By creation, then by id. */
export function newestFirst(a: PostOutput, b: PostOutput): number {
  return b.record.createdAt - a.record.createdAt || compareIds(b.record.id, a.record.id);
}

/** The index of `post` in `posts`, or where it has to be inserted. */
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

  /** A turn replaces timelines instead of changing them, so a reader can keep one while it works. */
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
    // Each output is stored under its own stream.
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
