import type { AccountId } from '../../streams/internal.ts';
import type { SourceLookups } from '../sources/source.ts';
import type { Latest } from '../views/latest.ts';

/** Answers the lookups of the sources from the latest values. */
export function sourceLookupsFrom(
  latest: Latest,
  coveredFrom: (account: AccountId) => number | undefined,
): SourceLookups {
  return {
    // Ids grow with time, and edits keep their first id: the newest id is among the newest posts.
    newestPostId: (account) => latest.posts(account)[0]?.record.id,
    livePosts(account, sinceMs) {
      const live = [];
      for (const { record } of latest.posts(account)) {
        if (record.createdAt < sinceMs) break;
        if (record.deletedAt === null) live.push({ id: record.id, createdAt: record.createdAt });
      }
      return live;
    },
    hasPost: (id) => latest.get('posts', id) !== undefined,
    coveredFrom,
    events: () => Array.from(latest.all('events'), ({ record }) => record),
    event: (eventId) => latest.get('events', String(eventId))?.record,
  };
}
