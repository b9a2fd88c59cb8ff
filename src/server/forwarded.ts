import type { Tier } from '../access/tiers.ts';
import { tweetsQuery } from '../contract/params.ts';
import { readQuery } from '../contract/validation/validate.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { Latest } from '../views/latest.ts';
import {
  type Answer,
  type Call,
  type Endpoint,
  type EventEndpoints,
  eventPathOf,
  type PlainEndpoint,
} from './answer.ts';

/** Has another process answer a call to a path. */
export type Forward = (path: string, call: Call, tier: Tier) => Promise<Answer>;

/** The endpoint, answered by the process that has what it is about. */
export function forwarded(
  { answer: _, ...route }: Endpoint | PlainEndpoint,
  forward: Forward,
): PlainEndpoint {
  return { ...route, method: 'GET', answer: (call, tier) => forward(route.path, call, tier) };
}

/** The same for the endpoints of all events. */
export function forwardedEvents(events: EventEndpoints, forward: Forward): EventEndpoints {
  return { ...events, of: (event) => forwarded(events.of(event), forward) };
}

/** Answers calls that other processes forward. A path that is not among these is a bug of whoever forwards. */
export function answerForwarded(
  endpoints: readonly (Endpoint | PlainEndpoint)[],
  events: readonly EventEndpoints[],
  later: (path: string, query: string) => PlainEndpoint | undefined,
): Forward {
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
  const ofEvents = new Map(events.map((each) => [each.path, each]));
  return async (path, call, tier) => {
    const { path: eventPath, event } = eventPathOf(path);
    const endpoint = later(path, call.query) ?? byPath.get(path) ?? ofEvents.get(eventPath)?.of(event);
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
