import { concat, defer, EMPTY } from 'rxjs';
import { compareIds, type Fact, type PostFact } from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import { digestOf } from '../../resilience/digest.ts';
import { remembered } from '../../resilience/remembered.ts';
import type { AccountEndpoint, EndpointsWithApi } from '../endpoints.ts';
import { pollInTurn, runOnce } from '../poll-in-turn.ts';
import { refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { afterCut, isTimelineRead, readHistory, timelineRead } from './history.ts';
import { type PolledEvent, pollEvery, pollInterval } from './poll-interval.ts';
import type { TimelineItem } from './post-payload.ts';
import {
  newerId,
  PAGE_SIZE,
  REACH,
  type ReadTimeline,
  type TimelineRequest,
  timelineOf,
} from './timeline.ts';

const AHEAD_RETRY_MS = 30_000;

/**
 * The account's posts: the history once, then what is new each second or as the account's polling says, for which an
 * answer without posts costs nothing.
 * A post can also turn up below the newest id, and flags can change, so posts are read a second time while they are young.
 */
export function postsSource(
  account: AccountEndpoint,
  endpoints: EndpointsWithApi,
  settings: SourceSettings,
): Source {
  const { historyDays, postsRecheckPeriodMs } = settings;
  const polling = account.polling ?? pollEvery(settings.postsPeriodMs);
  const timeline = timelineOf(account, endpoints, settings);
  // The digest of what was delivered last under each id. An edit has a higher id than the first of its history, so
  // without this it would be new in every poll.
  const delivered = remembered<string, string>(2 * PAGE_SIZE);
  /**
   * The newest version read that is of no time ahead of our clock. Asking after the first version of an edited post, or
   * before one that was refused, would pay for it each time.
   */
  let newestVersion: string | undefined;

  async function deliver(
    items: readonly TimelineItem[],
    context: SourceContext,
    { first = [], knownAt }: { readonly first?: readonly Fact[]; readonly knownAt: number | null },
  ) {
    const fresh = new Map<string, PostFact>();
    // Pages come newest first; of two versions of a post the newer one stays.
    for (const { fact } of items) if (!fresh.has(fact.id)) fresh.set(fact.id, fact);
    const facts = [...fresh.values()].filter((fact) => delivered.peek(fact.id) !== digestOf(fact));
    facts.sort((a, b) => a.createdAt - b.createdAt || compareIds(a.id, b.id));
    await context.deliver([...first, ...facts], knownAt);
    for (const fact of facts) delivered.set(fact.id, digestOf(fact));
  }

  async function readNew(context: SourceContext, signal: AbortSignal, via: PostFact['via'] = 'poll') {
    const sinceId = newerId(context.lookups.newestOnTimeline(account.id), newestVersion);
    const read = await readPages(timeline, { via, sinceId, signal }, context);
    const { askedAt, items, isCut, ahead, newestId } = read;
    // One post may be wrong by itself. With several our own clock is: what they add to the count is then not known.
    const isClockWrong = ahead > 1;
    const first = isCut ? gapBefore(items, context) : [];
    const knownAt = isClockWrong ? null : context.now() - (context.mono() - askedAt);
    await deliver(items, context, { first, knownAt });
    if (isClockWrong) throw aheadOfClock(account, ahead);
    newestVersion = newerId(newestVersion, newestId);
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
    await context.deliver([timelineRead(account, fromAt, true)], null);
  }

  async function readAgain(context: SourceContext, signal: AbortSignal) {
    const { lookups } = context;
    const newestId = lookups.newestOnTimeline(account.id);
    const sinceId = lookups.newestOnTimeline(account.id, context.now() - 2 * postsRecheckPeriodMs);
    const read = await readPages(timeline, { via: 'poll', sinceId, signal }, context);
    // Newer posts may be deleted before the next poll. Where what was read does not reach back to the newest post that is known,
    // they are left to it all the same, as it tells of a gap.
    const reachesBack = sinceId !== undefined && !read.isCut;
    const items = read.items.filter(
      ({ fact }) => reachesBack || newestId === undefined || compareIds(fact.id, newestId) <= 0,
    );
    const isNews = ({ fact }: TimelineItem) =>
      lookups.post(fact.id)?.via !== 'timeline' || fact.editIds !== undefined || delivered.has(fact.id);
    await deliver(items.filter(isNews), context, { knownAt: null });
    // Later changes are found by comparing with this.
    for (const { fact } of items) delivered.set(fact.id, digestOf(fact));
  }

  /** Looks for new posts at the first call, and then when the interval of that moment is over. */
  function readNewWhenDue(context: SourceContext) {
    const { fastestMs, slowestMs } = polling;
    let askedAt = Number.NEGATIVE_INFINITY;
    // Calls come each fastest interval, give or take a little.
    function isDue(): boolean {
      if (fastestMs === slowestMs) return true;
      const intervalMs = pollInterval({ polling, events: polledEvents(account, context) }, context.now());
      return intervalMs === fastestMs || context.mono() - askedAt >= intervalMs - fastestMs / 2;
    }
    return async (signal: AbortSignal) => {
      if (!isDue()) return;
      askedAt = context.mono();
      await readNew(context, signal);
    };
  }

  return {
    name: `posts:${account.id}`,
    silentAfterMs:
      Math.max(30_000, 4 * polling.slowestMs) + (endpoints.postsApi.paces?.timeline.roundMs ?? 0),
    run: (context) =>
      concat(
        defer(() =>
          isTimelineRead(context, account) ? EMPTY : runOnce((signal) => readPast(context, signal)),
        ),
        defer(() =>
          pollInTurn(
            [
              { periodMs: polling.fastestMs, read: readNewWhenDue(context) },
              { periodMs: postsRecheckPeriodMs, read: (signal) => readAgain(context, signal) },
            ],
            settings.spread,
          ),
        ),
      ),
  };
}

function polledEvents({ id }: AccountEndpoint, { lookups }: SourceContext): readonly PolledEvent[] {
  return lookups.unsettledEvents(id).map(({ eventId, startAt, endAt, buckets }) => ({
    startAt,
    endAt,
    buckets,
    count: lookups.realCount(eventId),
  }));
}

/** The posts stay unread until they are behind the clock, and each look at them may be billed. */
function aheadOfClock({ id }: AccountEndpoint, posts: number): SourceError {
  const message = `${posts} posts of account ${id} are dated ahead of our clock, which may be wrong`;
  return new SourceError('SOURCE_REFUSED', message, { retryAfterMs: AHEAD_RETRY_MS });
}

interface PagesRead {
  /** When the first of them was asked for, by `mono`. */
  readonly askedAt: number;
  readonly items: readonly TimelineItem[];
  readonly isCut: boolean;
  /** Posts that are refused only because they are ahead of our clock. */
  readonly ahead: number;
  /** The newest id that is of no time ahead. */
  readonly newestId: string | undefined;
}

/**
 * Everything after `sinceId`: all of it or nothing, since the newest id is where the next poll starts. It is cut where
 * the API goes no further back.
 */
async function readPages(
  timeline: ReadTimeline,
  request: Pick<TimelineRequest, 'via' | 'sinceId' | 'signal'>,
  context: SourceContext,
): Promise<PagesRead> {
  const items: TimelineItem[] = [];
  let askedAt = Number.POSITIVE_INFINITY;
  let ahead = 0;
  let newestId: string | undefined;
  let nextToken: string | undefined;
  for (let page = 0; page < REACH / PAGE_SIZE; page++) {
    const answer = await timeline({ ...request, nextToken }, context);
    askedAt = Math.min(askedAt, answer.askedAt);
    items.push(...answer.items);
    ahead += answer.ahead;
    newestId = newerId(newestId, answer.newestId);
    if (answer.nextToken === undefined || request.sinceId === undefined)
      return { askedAt, items, isCut: false, ahead, newestId };
    if (answer.nextToken === nextToken) refuse('the timeline names the same next page twice', context);
    nextToken = answer.nextToken;
  }
  return { askedAt, items, isCut: items.length > 0, ahead, newestId };
}
