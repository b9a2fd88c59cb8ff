import type { Tier } from '../access/tiers.ts';
import { tweetsQuery } from '../contract/params.ts';
import { readQuery } from '../contract/validation/validate.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { Latest } from '../views/latest.ts';
import type { Answer, Call, Endpoint, PlainEndpoint } from './answer.ts';

/** Has another process answer a call to a path. */
export type Forward = (path: string, call: Call, tier: Tier) => Promise<Answer>;

/** The endpoint, answered by the process that has what it is about. */
export function forwarded(
  { answer: _, ...route }: Endpoint | PlainEndpoint,
  forward: Forward,
): PlainEndpoint {
  return { ...route, method: 'GET', answer: (call, tier) => forward(route.path, call, tier) };
}

/** Answers calls that other processes forward. A path that is not among these is a bug of whoever forwards. */
export function answerForwarded(
  endpoints: readonly (Endpoint | PlainEndpoint)[],
  later: (path: string, query: string) => PlainEndpoint | undefined,
): Forward {
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
  return async (path, call, tier) => {
    const endpoint = later(path, call.query) ?? byPath.get(path);
    if (endpoint === undefined) throw new TypeError(`${path} is not answered for other processes`);
    return endpoint.answer(call, tier);
  };
}

/** Pages of posts that reach past those kept here. */
export function olderPages(
  tweets: Endpoint,
  { id }: AccountPath,
  latest: Latest,
  forward: Forward,
): PlainEndpoint {
  const { answer, ...route } = tweets;
  return {
    ...route,
    method: 'GET',
    async answer(call, tier) {
      const { offset, limit } = readQuery(tweetsQuery, call.query);
      const isHere = tier === 'FREE' || offset + limit <= latest.posts(id).length;
      return isHere ? answer(call, tier) : forward(route.path, call, tier);
    },
  };
}
