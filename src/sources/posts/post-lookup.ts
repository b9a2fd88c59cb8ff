import type { ZodType } from 'zod';
import type { PostFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { type LookupAnswer, lookupAnswer, timelineItems, wholeLookupAnswer } from './post-payload.ts';
import { postFields, postsHeaders } from './timeline.ts';

/** The API takes up to this many ids at once. */
const BATCH_SIZE = 100;

export interface Reading {
  readonly endpoints: Endpoints;
  readonly settings: SourceSettings;
  readonly context: SourceContext;
  readonly signal: AbortSignal;
}

export function batchesOf(ids: readonly string[]): readonly (readonly string[])[] {
  const batches: (readonly string[])[] = [];
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    batches.push(ids.slice(start, start + BATCH_SIZE));
  }
  return batches;
}

/** The ids of one batch that the API does not find. */
export async function lookUpMissing(ids: readonly string[], reading: Reading): Promise<ReadonlySet<string>> {
  return missingIn(await ask(ids, lookupAnswer, {}, reading));
}

interface LookedUp {
  /** By the id asked for. The fact's own id is the first of the post's edits. */
  readonly found: ReadonlyMap<string, PostFact>;
  readonly missing: ReadonlySet<string>;
}

/** Reads any number of the account's posts by id. One that is another account's, or may not be shown, is in neither list. */
export async function lookUpPosts(
  ids: readonly string[],
  account: AccountEndpoint,
  reading: Reading,
): Promise<LookedUp> {
  const { endpoints } = reading;
  const found = new Map<string, PostFact>();
  const missing = new Set<string>();
  for (const batch of batchesOf(ids)) {
    const answer = await ask(batch, wholeLookupAnswer, postFields(endpoints), reading);
    const wanted = new Set(batch);
    const data = (answer.data ?? []).filter(
      ({ id, author_id }) => wanted.has(id) && (author_id ?? account.userId) === account.userId,
    );
    const view = { via: 'backfill', webBase: endpoints.posts.webBase } as const;
    const items = timelineItems({ ...answer, data }, account, view) ?? [];
    for (const [index, { fact }] of items.entries()) found.set(data[index]?.id ?? fact.id, fact);
    // The same list names problems of posts that ours refer to.
    for (const id of missingIn(answer)) if (wanted.has(id)) missing.add(id);
  }
  return { found, missing };
}

async function ask<T>(
  ids: readonly string[],
  schema: ZodType<T>,
  fields: Readonly<Record<string, string>>,
  { endpoints, settings, context, signal }: Reading,
): Promise<T> {
  const query = new URLSearchParams({ ids: ids.join(','), ...fields });
  const request = { headers: postsHeaders(endpoints), signal, timeoutMs: settings.timeoutMs };
  return readPayload(`${endpoints.posts.baseUrl}/2/tweets?${query}`, schema, request, context);
}

/** Ids reported as not found. A post that may not be shown (protected, withheld) is not gone. */
function missingIn({ data, errors }: LookupAnswer): ReadonlySet<string> {
  const missing = new Set<string>();
  for (const { resource_id, value, type } of errors ?? []) {
    // Hosts of these type addresses have changed over time; the last segment has not.
    if (type?.split('/').at(-1) === 'resource-not-found') missing.add(resource_id ?? value ?? '');
  }
  for (const { id } of data ?? []) missing.delete(id);
  return missing;
}
