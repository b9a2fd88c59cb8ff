import { LRUCache } from 'lru-cache';
import { concat, defer, EMPTY } from 'rxjs';
import { compareIds, type Fact, type PostFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { pollInTurn, runOnce } from '../poll-in-turn.ts';
import { refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { afterCut, isTimelineRead, readHistory, timelineRead } from './history.ts';
import type { TimelineItem } from './post-payload.ts';
import { PAGE_SIZE, REACH, type ReadTimeline, type TimelineRequest, timelineOf } from './timeline.ts';

/**
 * The account's posts: the history once, then what is new each second. A post can also turn up below the
 * newest id, and flags can change, so the newest page is read again whole now and then.
 */
export function postsSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  const { historyDays } = settings;
  const timeline = timelineOf(account, endpoints, settings);
  // What was delivered last under each id. An edit has a higher id than the first of its history, so
  // without this it would be new in every poll.
  const delivered = new LRUCache<string, string>({ max: 2 * PAGE_SIZE });

  async function deliver(
    items: readonly TimelineItem[],
    context: SourceContext,
    first: readonly Fact[] = [],
  ) {
    const fresh = new Map<string, PostFact>();
    // Pages come newest first; of two versions of a post the newer one stays.
    for (const { fact } of items) if (!fresh.has(fact.id)) fresh.set(fact.id, fact);
    const facts = [...fresh.values()].filter((fact) => delivered.peek(fact.id) !== JSON.stringify(fact));
    facts.sort((a, b) => a.createdAt - b.createdAt || compareIds(a.id, b.id));
    await context.deliver([...first, ...facts]);
    for (const fact of facts) delivered.set(fact.id, JSON.stringify(fact));
  }

  async function readNew(context: SourceContext, signal: AbortSignal, via: PostFact['via'] = 'poll') {
    const sinceId = context.lookups.newestPostId(account.id);
    const { items, isCut } = await readPages(timeline, { via, sinceId, signal }, context);
    await deliver(items, context, isCut ? gapBefore(items, context) : []);
  }

  /**
   * The timeline ends before the newest post that was known. What was posted in between is not known, nor what was
   * deleted since: as at the first start, posts are known again where the archive was read too.
   */
  function gapBefore(items: readonly TimelineItem[], context: SourceContext): readonly Fact[] {
    const oldestAt = Math.min(...items.map(({ fact }) => fact.createdAt));
    return [
      { kind: 'coverage', account: account.id, fromAt: context.now() },
      timelineRead(account, afterCut(oldestAt), true),
    ];
  }

  async function readPast(context: SourceContext, signal: AbortSignal) {
    const fromAt = await readHistory(account, timeline, context, { historyDays, signal });
    // What was posted while the older pages were read. It was not found by a poll, and shows no lag.
    await readNew(context, signal, 'backfill');
    await context.deliver([timelineRead(account, fromAt, true)]);
  }

  async function readAgain(context: SourceContext, signal: AbortSignal) {
    const newestId = context.lookups.newestPostId(account.id);
    const page = await timeline({ via: 'poll', signal }, context);
    // Newer posts are left to the next poll, which reads all pages of them: this one may not reach back to
    // the newest post that is known.
    const items = page.items.filter(
      ({ fact }) => newestId === undefined || compareIds(fact.id, newestId) <= 0,
    );
    const oldestAt = Math.min(...items.map(({ fact }) => fact.createdAt));
    const known = new Set(context.lookups.livePosts(account.id, oldestAt - 1).map(({ id }) => id));
    const isNews = ({ fact, isEdited }: TimelineItem) =>
      !known.has(fact.id) || isEdited || delivered.has(fact.id);
    await deliver(items.filter(isNews), context);
    // Later changes are found by comparing with this.
    for (const { fact } of items) delivered.set(fact.id, JSON.stringify(fact));
  }

  return {
    name: `posts:${account.id}`,
    silentAfterMs: 30_000,
    run: (context) =>
      concat(
        defer(() =>
          isTimelineRead(context, account) ? EMPTY : runOnce((signal) => readPast(context, signal)),
        ),
        pollInTurn(
          { periodMs: settings.postsPeriodMs, read: (signal) => readNew(context, signal) },
          { periodMs: settings.postsRecheckPeriodMs, read: (signal) => readAgain(context, signal) },
        ),
      ),
  };
}

/**
 * Everything after `sinceId`: all of it or nothing, since the newest id is where the next poll starts. It is cut where
 * the API goes no further back.
 */
async function readPages(
  timeline: ReadTimeline,
  request: Pick<TimelineRequest, 'via' | 'sinceId' | 'signal'>,
  context: SourceContext,
): Promise<{ readonly items: readonly TimelineItem[]; readonly isCut: boolean }> {
  const items: TimelineItem[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < REACH / PAGE_SIZE; page++) {
    const answer = await timeline({ ...request, nextToken }, context);
    items.push(...answer.items);
    if (answer.nextToken === undefined || request.sinceId === undefined) return { items, isCut: false };
    if (answer.nextToken === nextToken) refuse('the timeline names the same next page twice', context);
    nextToken = answer.nextToken;
  }
  return { items, isCut: items.length > 0 };
}
