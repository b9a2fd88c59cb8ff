import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import type { Kernel, Owner } from './kernel.ts';
import { parsedJson } from './parsed-json.ts';
import type { WorldWindow } from './world-windows.ts';

/**
 * The posts that the world has delivered, counted in the simplest way: out of the text of its answers, with code of its
 * own, so that it makes none of the mistakes that it looks for.
 */

const reference = z.object({ type: z.string(), id: z.string() });
const timelinePost = z.object({
  id: z.string(),
  created_at: z.string(),
  author_id: z.string(),
  in_reply_to_user_id: z.string().optional(),
  referenced_tweets: z.array(reference).optional(),
  community_id: z.string().optional(),
  edit_history_tweet_ids: z.array(z.string()).min(1),
});
const timeline = z.object({
  data: z.array(z.unknown()).optional(),
  includes: z.object({ tweets: z.array(z.unknown()).optional() }).optional(),
});
const inCommunity = z.object({ id: z.string(), community_id: z.string() });
const listed = z.object({ platformId: z.string(), createdAt: z.string() });
const list = z.object({ data: z.array(z.unknown()) });

interface Delivered {
  /** UTC ms, whole seconds. */
  readonly createdAt: number;
  /** Of a post whose flags have changed it is open which of them the engine was the last to take. */
  isCounted: boolean | 'changed';
  /** Whether only the list has shown it, which does not tell the flags. */
  isListedOnly: boolean;
  /** Virtual ms of the first delivery. */
  readonly firstAt: number;
  /** The last life of the engine that it was delivered to, but for those whose clock was too far behind to take it. */
  life: Owner | undefined;
}

interface Followed {
  /** The account of the service, such as `a`. */
  readonly id: string;
  readonly userId: string;
  /** The oracle lists posts under it. */
  readonly handle: string;
}

interface DeliveredPosts {
  /** Told each answer that the engine has read. */
  onRead(life: Owner, url: URL, text: string): void;
  /** No count may be higher than what was delivered. */
  checkNotAbove(): void;
  /**
   * Every window has to be as the world has it, and its count what was delivered. `isGone` tells whether a post was deleted in
   * the world.
   */
  checkExact(life: Owner | undefined, windows: readonly WorldWindow[], isGone: (id: string) => boolean): void;
}

/** What was delivered within this time need not be counted yet. */
const UNDER_WAY_MS = 5_000;
/** What is further ahead of its clock is refused by the engine, and read again once its clock is right. */
const AHEAD_MS = 5 * 60_000;
/** An id has the time of its post in its upper bits, in ms since this instant. */
const ID_EPOCH = 1_288_834_974_657n;
const ID_TIME_BITS = 22n;

function secondOf(instant: string): number {
  return Math.floor(Date.parse(instant) / 1_000) * 1_000;
}

function secondOfId(id: string): number {
  return Math.floor(Number((BigInt(id) >> ID_TIME_BITS) + ID_EPOCH) / 1_000) * 1_000;
}

export function createDeliveredPosts(deps: {
  readonly kernel: Kernel;
  readonly kept: Pick<Store, 'outputs'>;
  readonly accounts: readonly Followed[];
  readonly violations: { check(invariant: 1, holds: boolean, message: () => string): void };
  /** Between two polls of an account, ms: a post that is read beside them is left to the next one. */
  readonly pollMs?: () => number;
  /** UTC ms as the machine of the engine shows it; right unless given. */
  readonly calendar?: () => number;
}): DeliveredPosts {
  const { kernel, kept, accounts, violations, pollMs = () => 0 } = deps;
  const { calendar = () => Number.POSITIVE_INFINITY } = deps;
  const byAccount = new Map(accounts.map(({ id }) => [id, new Map<string, Delivered>()]));

  /** `isCounted` is undefined for a post in the list, which holds what counts, but the timeline knows better. */
  function deliver(
    account: string,
    life: Owner,
    id: string,
    createdAt: number,
    isCounted: boolean | undefined,
  ): void {
    const posts = byAccount.get(account);
    const known = posts?.get(id);
    const taker = createdAt > calendar() + AHEAD_MS ? undefined : life;
    if (known === undefined) {
      const isListedOnly = isCounted === undefined;
      posts?.set(id, {
        createdAt,
        isCounted: isCounted ?? true,
        isListedOnly,
        firstAt: kernel.now(),
        life: taker,
      });
      return;
    }
    if (isCounted !== undefined) {
      if (known.isListedOnly) known.isCounted = isCounted;
      else if (known.isCounted !== isCounted) known.isCounted = 'changed';
      known.isListedOnly = false;
    }
    known.life = taker ?? known.life;
  }

  function readTimeline(life: Owner, text: string): void {
    const page = timeline.safeParse(jsonIn(text));
    if (!page.success) return;
    const community = new Set<string>();
    for (const included of page.data.includes?.tweets ?? []) {
      const found = inCommunity.safeParse(included);
      if (found.success) community.add(found.data.id);
    }
    for (const one of page.data.data ?? []) {
      const post = timelinePost.safeParse(one);
      if (!post.success) continue;
      const account = accounts.find(({ userId }) => userId === post.data.author_id);
      if (account === undefined) continue;
      const { id, created_at, edit_history_tweet_ids: versions } = post.data;
      const first = versions[0] ?? id;
      const createdAt = first === id ? secondOf(created_at) : secondOfId(first);
      deliver(account.id, life, first, createdAt, isCounted(post.data, community));
    }
  }

  function readList(life: Owner, handle: string | undefined, text: string): void {
    const account = accounts.find((each) => each.handle === handle);
    const rows = list.safeParse(jsonIn(text));
    if (account === undefined || !rows.success) return;
    for (const row of rows.data.data) {
      const post = listed.safeParse(row);
      if (!post.success) continue;
      const { platformId, createdAt } = post.data;
      deliver(account.id, life, platformId, secondOf(createdAt), undefined);
    }
  }

  /** Those of a window that are counted or may be. */
  function postsIn({ account, startAt, endAt }: Pick<WorldWindow, 'account' | 'startAt' | 'endAt'>) {
    return [...(byAccount.get(account) ?? [])].filter(
      ([, post]) => post.isCounted !== false && post.createdAt >= startAt && post.createdAt < endAt,
    );
  }

  /** What the service knows of a window and counts in it; undefined where it knows no such event. */
  function keptOf({ eventId }: WorldWindow) {
    const event = kept.outputs.get('events', String(eventId));
    const counters = kept.outputs.get('counters', String(eventId));
    if (event?.stream !== 'events' || counters?.stream !== 'counters') return undefined;
    return { startAt: event.record.startAt, endAt: event.record.endAt, real: counters.record.real };
  }

  return {
    onRead(life, url, text) {
      const [, host, version, collection, id, rest] = url.pathname.split('/');
      if (host === 'posts-api' && version === '2' && (collection === 'users' || collection === 'tweets'))
        readTimeline(life, text);
      if (host === 'oracle' && collection === 'users' && rest === 'posts') readList(life, id, text);
    },
    checkNotAbove() {
      for (const output of kept.outputs.latest('events')) {
        if (output.stream !== 'events') continue;
        const { subject, phase, slug, eventId, startAt, endAt } = output.record;
        if (subject.type !== 'posts' || phase !== 'active' || startAt === null) continue;
        const counters = kept.outputs.get('counters', String(eventId));
        if (counters?.stream !== 'counters') continue;
        const { real } = counters.record;
        const posts = postsIn({ account: subject.account, startAt, endAt });
        violations.check(
          1,
          (real ?? 0) <= posts.length,
          () => `${slug} has ${real}, of ${posts.length} delivered`,
        );
      }
    },
    checkExact(life, windows, isGone) {
      const now = kernel.now();
      for (const window of windows) {
        const { slug, startAt, endAt } = window;
        const known = keptOf(window);
        violations.check(
          1,
          known?.startAt === startAt && known.endAt === endAt,
          () => `${slug} is from ${startAt} to ${endAt}, and known from ${known?.startAt} to ${known?.endAt}`,
        );
        const real = known?.real ?? null;
        violations.check(1, real !== null, () => `${slug} has no count`);
        if (real === null) continue;
        const posts = postsIn(window);
        // A post that only a killed engine has taken, and that was deleted since, is known to nobody.
        const certain = posts.filter(
          ([id, post]) =>
            post.isCounted === true &&
            post.firstAt < now - pollMs() - UNDER_WAY_MS &&
            (post.life === life || !isGone(id)),
        );
        violations.check(1, certain.length <= real && real <= posts.length, () => {
          const missing = certain
            .filter(([id]) => kept.outputs.get('posts', id) === undefined)
            .map(([id]) => id);
          return `${slug} has ${real}, of ${certain.length} to ${posts.length} delivered; unknown: ${missing.slice(0, 5)}`;
        });
      }
    },
  };
}

/** Undefined where the answer was spoiled. */
function jsonIn(text: string): unknown {
  try {
    return parsedJson(text);
  } catch {
    return undefined;
  }
}

/** Replies to others and reposts out of a community do not count. */
function isCounted(post: z.infer<typeof timelinePost>, community: ReadonlySet<string>): boolean {
  const refersTo = (type: string) => post.referenced_tweets?.find((each) => each.type === type);
  if (post.in_reply_to_user_id !== undefined || refersTo('replied_to') !== undefined)
    return post.in_reply_to_user_id === post.author_id;
  const reposted = refersTo('retweeted');
  if (reposted === undefined) return true;
  return post.community_id === undefined && !community.has(reposted.id);
}
