import type { ZodType } from 'zod';
import { type EndpointsWithApi, gapOfLimit } from '../endpoints.ts';
import type { AnswerHeaders } from '../http-exchange.ts';
import { readPayload } from '../read-payload.ts';
import type { ApiUse } from '../source.ts';
import type { SomePosts } from './post-payload.ts';
import type { ApiReading } from './reading.ts';

interface PostsRequest {
  readonly name: ApiUse['request'];
  readonly path: string;
  readonly query: URLSearchParams;
  /** Called when it is sent, once its turn has come. */
  readonly onSent?: () => void;
}

const FIELDS = ['id', 'text', 'created_at', 'author_id', 'in_reply_to_user_id', 'community_id'];

/**
 * The query for everything that is read of a post. The posts it refers to come with it, as they may be billed too, only
 * for what the post itself lacks: the whole text of a repost, its community, and whom a reply answers.
 */
export function wholePostFields({ postsApi }: EndpointsWithApi): Readonly<Record<string, string>> {
  const { fieldPrefix: prefix } = postsApi;
  const renamed = [`referenced_${prefix}s`, `edit_history_${prefix}_ids`, `note_${prefix}`];
  return {
    [`${prefix}.fields`]: [...FIELDS, ...renamed].join(','),
    expansions: `referenced_${prefix}s.id`,
  };
}

/** Asks the posts API, and counts what the answer cost. */
export async function askPostsApi<T extends SomePosts>(
  { name, path, query, onSent }: PostsRequest,
  schema: ZodType<T>,
  { endpoints: { postsApi, userAgent }, settings, context, signal }: ApiReading,
): Promise<T> {
  let quota: ApiUse['quota'] = null;
  let reads = 0;
  const request = {
    headers: { authorization: `Bearer ${postsApi.bearerToken}`, 'user-agent': userAgent },
    signal,
    timeoutMs: settings.timeoutMs,
    pace: postsApi.paces?.[name],
    onSent,
    onHeaders(headers: AnswerHeaders) {
      quota = quotaOf(headers);
      // An older contract may allow less. Then all are asked more slowly, instead of not at all when the quota is used up.
      if (quota !== null && quota.limit < (postsApi.limits?.[name] ?? 0)) {
        postsApi.paces?.[name].slowTo(gapOfLimit(quota.limit));
      }
    },
  };
  try {
    const answer = await readPayload(`${postsApi.baseUrl}${path}?${query}`, schema, request, context);
    reads = postsIn(answer);
    return answer;
  } finally {
    context.used({ request: name, reads, quota });
  }
}

function postsIn({ data, includes }: SomePosts): number {
  return [data, includes?.tweets, includes?.posts].reduce((sum, posts) => sum + (posts?.length ?? 0), 0);
}

function quotaOf(headers: AnswerHeaders): ApiUse['quota'] {
  const limit = wholeNumber(headers.get('x-rate-limit-limit'));
  const remaining = wholeNumber(headers.get('x-rate-limit-remaining'));
  return limit === null || remaining === null ? null : { limit, remaining };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : null;
}
