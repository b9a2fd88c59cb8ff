import {
  concat,
  defer,
  filter,
  ignoreElements,
  type Observable,
  repeat,
  takeUntil,
  takeWhile,
  timer,
} from 'rxjs';
import type { Fact } from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import { remembered } from '../../resilience/remembered.ts';
import type { AccountEndpoint, EndpointsWithApi } from '../endpoints.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { isTimelineRead } from './history.ts';
import { createListNews } from './list-news.ts';
import { type ListedSpan, listReader, listTurnsMs, OVERLAP_MS } from './list-reader.ts';
import { type ListedPost, listedFact } from './oracle-list.ts';
import { lookUpPosts } from './post-lookup.ts';
import type { ApiReading } from './reading.ts';
import { identify } from './user-id.ts';

/** A listed post that the log lacks, or of which it does not know the kind. */
interface UnclearPost {
  readonly post: ListedPost;
  readonly isUnknown: boolean;
}

/**
 * The oracle's own list of the account's posts, beside the timeline. It holds posts that the timeline did not show and
 * those behind its reach, and it tells which posts the oracle has; of all else the timeline knows more.
 */
export function archiveSource(
  account: AccountEndpoint,
  endpoints: EndpointsWithApi,
  settings: SourceSettings,
): Source {
  // Both kept over restarts, so that a post is looked up once: one that is listed under the id of an edit,
  const firstIds = remembered<string, string>(1_000);
  // and one that may not be shown.
  const hidden = remembered<string, true>(1_000);
  const firstIdOf = (id: string) => firstIds.peek(id) ?? id;
  const newsOf = createListNews(account, endpoints, firstIdOf);
  const identified = identify(account);

  /** Inside the timeline's span: a post the log lacks was deleted, was missed, or was edited under another id. */
  function unclearIn({ listed, shownFrom }: ListedSpan, context: SourceContext): readonly UnclearPost[] {
    const openFrom = context.now() - OVERLAP_MS;
    return listed.flatMap((post): readonly UnclearPost[] => {
      if (post.createdAt < shownFrom || hidden.has(post.id)) return [];
      const known = context.lookups.post(firstIdOf(post.id));
      if (known === undefined) return [{ post, isUnknown: true }];
      // The kinds of older ones are not worth a request.
      const isOpen = known.deletedAt === null && known.createdAt >= openFrom;
      return known.isReply === null && isOpen ? [{ post, isUnknown: false }] : [];
    });
  }

  async function lookedUp(unclear: readonly UnclearPost[], { via }: ListedSpan, reading: ApiReading) {
    if (unclear.length === 0) return [];
    const ids = unclear.map(({ post }) => post.id);
    const { found, missing } = await lookUpPosts(ids, await identified(reading), reading);
    for (const [id, fact] of found) firstIds.set(id, fact.id);
    return unclear.flatMap(({ post, isUnknown }): readonly Fact[] => {
      const fact = found.get(post.id);
      if (fact !== undefined) return [{ ...fact, via, importedAt: post.importedAt }];
      const listed = isUnknown ? [listedFact(post, via, account, endpoints)] : [];
      if (missing.has(post.id)) return [...listed, { kind: 'post_gone', account: account.id, id: post.id }];
      hidden.set(post.id, true);
      return listed;
    });
  }

  async function factsOf(span: ListedSpan, reading: ApiReading): Promise<readonly Fact[]> {
    const { context, signal } = reading;
    const unclear = unclearIn(span, context);
    const facts = await lookedUp(unclear, span, reading).catch((error: unknown) => {
      // The list goes on while the posts API fails. What stays unclear is looked up next time.
      if (signal.aborted || !(error instanceof SourceError)) throw error;
      return null;
    });
    if (facts === null) return newsOf(span, context);
    const asked = new Set(unclear.map(({ post }) => post.id));
    const listed = span.listed.filter(({ id }) => !asked.has(id));
    return [...facts, ...newsOf({ ...span, listed }, context)];
  }

  /** Ends once the timeline was read, or did not answer in time. */
  function timelineReading(context: SourceContext): Observable<never> {
    return timer(0, settings.timelineLookPeriodMs).pipe(
      takeWhile(() => !isTimelineRead(context, account)),
      takeUntil(timer(settings.listWaitMs)),
      ignoreElements(),
    );
  }

  const timelineFrom = ({ lookups }: SourceContext) => lookups.timelineFrom(account.id);
  const readLists = listReader({ account, endpoints, settings, timelineFrom, factsOf });

  /** Begins anew when the timeline was read again. */
  function readings(context: SourceContext): Observable<never> {
    const readFor = timelineFrom(context);
    const { timelineLookPeriodMs } = settings;
    const isOutdated = timer(timelineLookPeriodMs, timelineLookPeriodMs).pipe(
      filter(() => timelineFrom(context) !== readFor),
    );
    return readLists(context).pipe(takeUntil(isOutdated));
  }

  return {
    name: `archive:${account.id}`,
    silentAfterMs:
      settings.listWaitMs + 4 * settings.listPeriodMs + 2 * settings.slowTimeoutMs + listTurnsMs(endpoints),
    run: (context) => concat(timelineReading(context), defer(() => readings(context)).pipe(repeat())),
  };
}
