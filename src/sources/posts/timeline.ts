import type { PostFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, EndpointsWithApi } from '../endpoints.ts';
import { refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { type TimelineItem, timelineItems, timelinePage } from './post-payload.ts';
import { askPostsApi, wholePostFields } from './posts-api.ts';

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

export function timelineOf(
  account: AccountEndpoint,
  endpoints: EndpointsWithApi,
  settings: SourceSettings,
): ReadTimeline {
  return async ({ via, sinceId, nextToken, signal }, context) => {
    const query = new URLSearchParams({ max_results: String(PAGE_SIZE), ...wholePostFields(endpoints) });
    if (sinceId !== undefined) query.set('since_id', sinceId);
    if (nextToken !== undefined) query.set('pagination_token', nextToken);
    const request = { name: 'timeline', path: `/2/users/${account.userId}/tweets`, query } as const;
    const reading = { endpoints, settings, context, signal };
    const page = await askPostsApi(request, timelinePage, reading);
    const items = timelineItems(page, account, { via, webBase: endpoints.webBase });
    if (items === null) {
      return refuse(`the timeline of account ${account.id} holds a post of another account`, context);
    }
    return { items, nextToken: page.meta.next_token ?? undefined };
  };
}
