import type { ZodType } from 'zod';
import { POST_FAULTS, type PostFact } from '../../../streams/internal.ts';
import type { IdentifiedAccount } from '../endpoints.ts';
import {
  itemFault,
  type LookupAnswer,
  lookupAnswer,
  type SomePosts,
  timelineItems,
  wholeLookupAnswer,
} from './post-payload.ts';
import { askPostsApi, wholePostFields } from './posts-api.ts';
import type { ApiReading } from './reading.ts';

/** The API takes up to this many ids at once. */
const BATCH_SIZE = 100;

export function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    batches.push(items.slice(start, start + BATCH_SIZE));
  }
  return batches;
}

/** The ids of one batch that the API does not find. */
export async function lookUpMissing(
  ids: readonly string[],
  reading: ApiReading,
): Promise<ReadonlySet<string>> {
  return missingIn(await ask(ids, lookupAnswer, {}, reading));
}

interface LookedUp {
  /** By the id asked for. The fact's own id is the first of the post's edits. */
  readonly found: ReadonlyMap<string, PostFact>;
  readonly missing: ReadonlySet<string>;
}

/**
 * Reads any number of the account's posts by id. One that is another account's, may not be shown or cannot be as it says
 * is in neither list.
 */
export async function lookUpPosts(
  ids: readonly string[],
  account: IdentifiedAccount,
  reading: ApiReading,
): Promise<LookedUp> {
  const { endpoints, context } = reading;
  const found = new Map<string, PostFact>();
  const missing = new Set<string>();
  for (const batch of batchesOf(ids)) {
    const answer = await ask(batch, wholeLookupAnswer, wholePostFields(endpoints), reading);
    const wanted = new Set(batch);
    const view = { via: 'backfill', webBase: endpoints.webBase } as const;
    const { items, reasons } = timelineItems(answer, account, view);
    for (const reason of reasons) context.refused(`a post that was looked up cannot be read: ${reason}`);
    for (const item of items) {
      const fault = itemFault(item, context.now());
      if (fault !== null)
        context.refused(`the post ${item.versionId} that was looked up ${POST_FAULTS[fault]}`);
      else if (wanted.has(item.versionId)) found.set(item.versionId, item.fact);
    }
    // The same list names problems of posts that ours refer to.
    const gone = missingIn({
      data: items.map(({ versionId }) => ({ id: versionId })),
      errors: answer.errors,
    });
    for (const id of gone) if (wanted.has(id)) missing.add(id);
  }
  return { found, missing };
}

function ask<T extends SomePosts>(
  ids: readonly string[],
  schema: ZodType<T>,
  fields: Readonly<Record<string, string>>,
  reading: ApiReading,
): Promise<T> {
  const query = new URLSearchParams({ ids: ids.join(','), ...fields });
  return askPostsApi({ name: 'lookup', path: '/2/tweets', query }, schema, reading);
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
