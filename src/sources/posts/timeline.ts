import { compareIds, POST_FAULTS, type PostFact, TOLERANCE_MS, timeOfId } from '../../../streams/internal.ts';
import type { AccountEndpoint, EndpointsWithApi } from '../endpoints.ts';
import { refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import { itemFault, type TimelineItem, timelineItems, timelinePage } from './post-payload.ts';
import { askPostsApi, wholePostFields } from './posts-api.ts';
import { identify } from './user-id.ts';

export const PAGE_SIZE = 100;
/** The API goes back over this many places and no further, however many posts there are. */
export const REACH = 3_200;
const REMEMBERED = 100;
const FAULT_KINDS = ['idRange', 'idTime', 'early', 'ahead'] as const;

interface TimelineAnswer {
  /** When it was asked for, by `mono`: it may lack what was posted since. */
  readonly askedAt: number;
  readonly items: readonly TimelineItem[];
  /** Posts that are refused, and how many of them only because they are ahead of our clock. */
  readonly refused: number;
  readonly ahead: number;
  /** The newest id of the answer that is of no time ahead, whether its post is refused or not. */
  readonly newestId: string | undefined;
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
  const faults = tellOnce(REMEMBERED);
  const identified = identify(account);
  return async ({ via, sinceId, nextToken, signal }, context) => {
    const query = new URLSearchParams({ max_results: String(PAGE_SIZE), ...wholePostFields(endpoints) });
    if (sinceId !== undefined) query.set('since_id', sinceId);
    if (nextToken !== undefined) query.set('pagination_token', nextToken);
    const reading = { endpoints, settings, context, signal };
    const user = await identified(reading);
    let askedAt = context.mono();
    const onSent = () => {
      askedAt = context.mono();
    };
    const request = { name: 'timeline', path: `/2/users/${user.userId}/tweets`, query, onSent } as const;
    const page = await askPostsApi(request, timelinePage, reading);
    const { items, strangers, reasons } = timelineItems(page, user, { via, webBase: endpoints.webBase });
    if (strangers > 0) {
      return refuse(`the timeline of account ${account.id} holds a post of another account`, context);
    }
    // Nothing of it can be read: its form has changed, and to go on would look like having no posts.
    if (items.length === 0 && reasons[0] !== undefined)
      return refuse(`the timeline holds ${reasons[0]}`, context);
    const now = context.now();
    const judged = items.map((item) => ({ item, fault: itemFault(item, now) }));
    for (const reason of reasons)
      faults.tell(reason, `a post on the timeline cannot be read: ${reason}`, context);
    // The newest of each kind stands for the others, of which there are many when our clock is wrong.
    for (const kind of FAULT_KINDS) {
      const found = judged.find(({ fault }) => fault === kind)?.item;
      const reason = found && `the post ${found.versionId} on the timeline ${POST_FAULTS[kind]}`;
      if (reason !== undefined) faults.tell(kind, reason, context);
    }
    const good = judged.flatMap(({ item, fault }) => (fault === null ? [item] : []));
    return {
      askedAt,
      items: good,
      refused: (page.data?.length ?? 0) - good.length,
      ahead: judged.filter(({ fault }) => fault === 'ahead').length,
      newestId: items
        .map(({ versionId }) => versionId)
        .filter((id) => (timeOfId(id) ?? 0) <= now + TOLERANCE_MS)
        .reduce<string | undefined>(newerId, undefined),
      nextToken: page.meta.next_token ?? undefined,
    };
  };
}

export function newerId(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareIds(a, b) < 0 ? b : a;
}
