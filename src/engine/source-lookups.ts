import { type GraphState, timelineFrom } from '../../streams/internal.ts';
import type { SourceLookups } from '../sources/source.ts';
import type { Latest } from '../views/latest.ts';

/** Answers the lookups of the sources from the latest values and from what the counters know of the past. */
export function sourceLookupsFrom(latest: Latest, { counters }: Pick<GraphState, 'counters'>): SourceLookups {
  return {
    // Ids grow with time and an edit keeps its first id, so the newest post has the newest id.
    newestOnTimeline: (account, beforeMs = Number.POSITIVE_INFINITY) =>
      latest
        .posts(account)
        .find(({ record: { via, createdAt } }) => via === 'timeline' && createdAt < beforeMs)?.record.id,
    livePosts(account, sinceMs) {
      const live = [];
      for (const { record } of latest.posts(account)) {
        if (record.createdAt < sinceMs) break;
        if (record.deletedAt === null) live.push(record);
      }
      return live;
    },
    post: (id) => latest.get('posts', id)?.record,
    coveredFrom: (account) => counters.get(account)?.coveredFrom ?? undefined,
    timelineFrom: (account) => timelineFrom(counters.get(account)),
    events: () => Array.from(latest.all('events'), ({ record }) => record),
    event: (eventId) => latest.get('events', String(eventId))?.record,
  };
}
