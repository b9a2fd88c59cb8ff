import type { PostFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { readPayload, refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { type TimelineItem, timelineItems, timelinePage } from './post-payload.ts';

export const PAGE_SIZE = 100;
/** The API goes back over this many places and no further, however many posts there are. */
export const REACH = 3_200;

interface TimelineAnswer {
  readonly items: readonly TimelineItem[];
  readonly nextToken: string | undefined;
}

export interface TimelineRequest {
  readonly via: PostFact['via'];
  readonly sinceId?: string | undefined;
  readonly nextToken?: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads one page of the account's timeline. */
export type ReadTimeline = (request: TimelineRequest, context: SourceContext) => Promise<TimelineAnswer>;

const FIELDS = [
  'id',
  'text',
  'created_at',
  'author_id',
  'conversation_id',
  'in_reply_to_user_id',
  'community_id',
];

/** The headers of every request to the posts API. */
export function postsHeaders(endpoints: Endpoints): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${endpoints.posts.bearerToken}`, 'user-agent': endpoints.userAgent };
}

/** The query for the fields of each post and of the posts that it refers to. */
export function postFields(endpoints: Endpoints): Readonly<Record<string, string>> {
  const { fieldPrefix: prefix } = endpoints.posts;
  const renamed = [`referenced_${prefix}s`, `edit_history_${prefix}_ids`, `note_${prefix}`];
  return {
    [`${prefix}.fields`]: [...FIELDS, ...renamed].join(','),
    expansions: `referenced_${prefix}s.id,referenced_${prefix}s.id.author_id`,
  };
}

export function timelineOf(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): ReadTimeline {
  const { baseUrl, webBase } = endpoints.posts;
  const headers = postsHeaders(endpoints);
  return async ({ via, sinceId, nextToken, signal }, context) => {
    const query = new URLSearchParams({ max_results: String(PAGE_SIZE), ...postFields(endpoints) });
    if (sinceId !== undefined) query.set('since_id', sinceId);
    if (nextToken !== undefined) query.set('pagination_token', nextToken);
    const url = `${baseUrl}/2/users/${account.userId}/tweets?${query}`;
    const request = { headers, signal, timeoutMs: settings.timeoutMs };
    const page = await readPayload(url, timelinePage, request, context);
    const items = timelineItems(page, account, { via, webBase });
    if (items === null) {
      return refuse(`the timeline of account ${account.id} holds a post of another account`, context);
    }
    return { items, nextToken: page.meta.next_token ?? undefined };
  };
}
