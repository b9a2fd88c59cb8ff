import { MINUTE_MS } from '../../../streams/internal.ts';
import type { Account } from '../life/accounts.ts';
import type { Entry, Timeline } from '../life/timeline.ts';
import { type Answer, type Handler, ok, type WorldRequest, wholeNumber } from './answer.ts';
import { accountJson, expand, notFoundError, postJson } from './post-json.ts';
import { pageOf, selectPage, tokenOf } from './timeline-page.ts';

/** The bearer token the posts API accepts. */
export const POSTS_TOKEN = 'world-posts-token';

const WINDOW_MS = 15 * MINUTE_MS;

function problem(status: number, title: string, detail: string, type = 'about:blank'): Answer {
  return { status, body: { title, detail, type, status } };
}

function invalid(parameter: string, value: string, message: string): Answer {
  const body = {
    errors: [{ parameters: { [parameter]: [value] }, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://posts-api.invalid/2/problems/invalid-request',
  };
  return { status: 400, body };
}

function list(query: URLSearchParams, ...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => query.getAll(name)).flatMap((text) => text.split(',')));
}

interface Quota {
  windowAt: number;
  used: number;
}

export function createPostsRest(options: {
  readonly now: () => number;
  readonly accounts: readonly Account[];
  readonly timeline: Timeline;
}): Handler {
  const { now, accounts, timeline } = options;
  // The quota of a reader who follows these accounts, each of them once a second.
  const limits = {
    timeline: Math.max(10_000, 1_000 * accounts.length),
    lookup: Math.max(3_500, 350 * accounts.length),
  };
  const quotas = new Map<string, Quota>();

  /** Counts the request against a window of 15 minutes and gives the answer its headers. */
  function limited(name: string, limit: number, answer: () => Answer): Answer {
    const windowAt = Math.floor(now() / WINDOW_MS) * WINDOW_MS;
    const known = quotas.get(name);
    const quota = known?.windowAt === windowAt ? known : { windowAt, used: 0 };
    quota.used++;
    quotas.set(name, quota);
    const headers = {
      'x-rate-limit-limit': String(limit),
      'x-rate-limit-remaining': String(Math.max(0, limit - quota.used)),
      'x-rate-limit-reset': String((windowAt + WINDOW_MS) / 1000),
    };
    const given = quota.used > limit ? problem(429, 'Too Many Requests', 'Too Many Requests') : answer();
    return { ...given, headers: { ...given.headers, ...headers } };
  }

  function timelineOf(account: Account, query: URLSearchParams): Answer {
    const size = wholeNumber(query, 'max_results', 10);
    if (size === undefined || size < 5 || size > 100) {
      const value = query.get('max_results') ?? '';
      return invalid(
        'max_results',
        value,
        `The \`max_results\` query parameter value [${value}] is not between 5 and 100`,
      );
    }
    for (const name of ['since_id', 'until_id']) {
      const value = query.get(name);
      if (value !== null && !/^\d{1,19}$/.test(value))
        return invalid(name, value, `The \`${name}\` query parameter value [${value}] is not valid`);
    }
    const token = query.get('pagination_token');
    const pageBefore = token === null ? undefined : pageOf(token, account);
    if (token !== null && pageBefore === undefined)
      return invalid(
        'pagination_token',
        token,
        `The \`pagination_token\` query parameter value [${token}] is not valid`,
      );
    const page = selectPage(timeline.newestFirst(account.id, now()), { query, pageBefore, size });
    if (page.entries.length === 0) return ok({ meta: { result_count: 0 } });
    const newest = page.entries[0];
    const oldest = page.entries.at(-1);
    return ok({
      ...rendered(page.entries, query),
      meta: {
        result_count: page.entries.length,
        newest_id: newest?.id,
        oldest_id: oldest?.id,
        ...(page.hasMore && oldest !== undefined && { next_token: tokenOf(account, oldest.id) }),
      },
    });
  }

  function rendered(entries: readonly Entry[], query: URLSearchParams, missing: readonly string[] = []) {
    const fields = list(query, 'tweet.fields', 'post.fields');
    const expansions = list(query, 'expansions');
    const at = now();
    const expanded = expand(entries, expansions, fields, (id) => timeline.find(id, at), at);
    const errors = [...missing.map((id) => notFoundError('ids', id)), ...expanded.errors];
    return {
      ...(entries.length > 0 && { data: entries.map((entry) => postJson(entry, fields, at)) }),
      ...(expanded.includes !== undefined && { includes: expanded.includes }),
      ...(errors.length > 0 && { errors }),
    };
  }

  function lookUp(query: URLSearchParams): Answer {
    const ids = [...list(query, 'ids')];
    if (ids.length > 100 || ids.some((id) => !/^\d{1,19}$/.test(id))) {
      return invalid('ids', ids.join(','), 'The `ids` query parameter must hold 1 to 100 ids');
    }
    if (ids.length === 0) return invalid('ids', '', 'The `ids` query parameter can not be empty');
    const found = ids.map((id) => timeline.find(id, now()));
    const missing = ids.filter((_, index) => found[index] === undefined);
    return ok(
      rendered(
        found.filter((entry) => entry !== undefined),
        query,
        missing,
      ),
    );
  }

  function route({ path, query }: WorldRequest): Answer {
    const [version, collection, id, rest, last] = path;
    if (version === '2' && collection === 'users' && id === 'by' && rest === 'username') {
      const account = accounts.find((candidate) => candidate.handle === last);
      return account === undefined
        ? problem(404, 'Not Found', 'Not Found')
        : ok({ data: accountJson(account) });
    }
    if (version === '2' && collection === 'users' && rest === 'tweets') {
      const account = accounts.find((candidate) => candidate.userId === id);
      if (account === undefined) {
        return ok({
          errors: [
            {
              ...notFoundError('id', id ?? ''),
              resource_type: 'user',
              detail: `Could not find user with id: [${id}].`,
            },
          ],
        });
      }
      return limited('timeline', limits.timeline, () => timelineOf(account, query));
    }
    if (version === '2' && collection === 'tweets' && id === undefined)
      return limited('lookup', limits.lookup, () => lookUp(query));
    if (version === '2' && collection === 'tweets' && id !== undefined && /^\d{1,19}$/.test(id)) {
      const entry = timeline.find(id, now());
      if (entry === undefined) return { status: 404, body: { errors: [notFoundError('id', id)] } };
      const { data, ...others } = rendered([entry], query);
      return limited('single', 450, () => ok({ data: data?.[0], ...others }));
    }
    return problem(404, 'Not Found', 'Not Found');
  }

  return (request) => {
    if (request.headers.authorization !== `Bearer ${POSTS_TOKEN}`)
      return problem(401, 'Unauthorized', 'Unauthorized');
    return route(request);
  };
}
