import { defer } from 'rxjs';
import type { PostGoneFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source } from '../source.ts';
import { batchesOf, lookUpMissing } from './post-lookup.ts';

const BATCHES_PER_POLL = 3;
/** One miss can be a replica that lags; two in a row count as a deletion. */
const MISSES_NEEDED = 2;

/** Looks up the account's recent posts in turn and delivers those that are gone. */
export function deletionsSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  return {
    name: `deletions:${account.id}`,
    silentAfterMs: 4 * settings.deletionsPeriodMs + 10_000,
    run: (context) =>
      defer(() => {
        let misses = new Map<string, number>();
        let turn = 0;

        async function lookUp(signal: AbortSignal) {
          const sinceAt = context.now() - settings.deletionsHorizonMs;
          const live = context.lookups.livePosts(account.id, sinceAt).map(({ id }) => id);
          // Only posts that are still of interest, so the map cannot outgrow a day of posts.
          misses = new Map(live.map((id) => [id, misses.get(id) ?? 0]));
          for (const ids of batchesOfTurn(live, turn++)) {
            const missing = await lookUpMissing(ids, { endpoints, settings, context, signal });
            for (const id of ids) misses.set(id, missing.has(id) ? (misses.get(id) ?? 0) + 1 : 0);
          }
          const gone = live.filter((id) => (misses.get(id) ?? 0) >= MISSES_NEEDED);
          await context.deliver(
            gone.map((id): PostGoneFact => ({ kind: 'post_gone', account: account.id, id })),
          );
        }

        return pollInTurn({ periodMs: settings.deletionsPeriodMs, read: lookUp });
      }),
  };
}

/** Up to three batches, going on where the last turn ended and round again. */
export function batchesOfTurn(ids: readonly string[], turn: number): readonly (readonly string[])[] {
  const batches = batchesOf(ids);
  if (batches.length <= BATCHES_PER_POLL) return batches;
  return Array.from(
    { length: BATCHES_PER_POLL },
    (_, index) => batches[(turn * BATCHES_PER_POLL + index) % batches.length] ?? [],
  );
}
