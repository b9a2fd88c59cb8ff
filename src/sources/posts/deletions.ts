import type { PostGoneFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, EndpointsWithApi } from '../endpoints.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import type { SourceSettings } from '../settings.ts';
import type { KnownPost, Source, SourceContext } from '../source.ts';
import { createLookPlan } from './look-plan.ts';
import { batchesOf, lookUpMissing } from './post-lookup.ts';

const BATCHES_PER_POLL = 3;
/** One miss can be a replica that lags; two in a row count as a deletion. */
const MISSES_NEEDED = 2;

/** Looks up the account's recent posts, the youngest most often, and delivers those that are gone. */
export function deletionsSource(
  account: AccountEndpoint,
  endpoints: EndpointsWithApi,
  settings: SourceSettings,
): Source {
  const { deletionsPeriodMs, deletionsHorizonMs } = settings;
  // Kept over restarts of the source, so that a failure does not make every post due again.
  const plan = createLookPlan(deletionsPeriodMs);
  const turnMs = endpoints.postsApi.paces?.lookup.roundMs ?? 0;

  async function lookUp(context: SourceContext, signal: AbortSignal) {
    const live = context.lookups.livePosts(account.id, context.now() - deletionsHorizonMs);
    plan.keep(live);
    const due = live.filter((post) => plan.isDue(post, context.now()));
    for (const posts of batchesOf(due).slice(0, BATCHES_PER_POLL)) {
      const ids = posts.map(({ id }) => id);
      const missing = await lookUpMissing(ids, { endpoints, settings, context, signal });
      for (const post of posts) plan.looked(post, context.now(), missing.has(post.id));
    }
    const isGone = ({ id }: KnownPost) => plan.misses(id) >= MISSES_NEEDED;
    await context.deliver(
      live.filter(isGone).map(({ id }): PostGoneFact => ({ kind: 'post_gone', account: account.id, id })),
    );
  }

  return {
    name: `deletions:${account.id}`,
    silentAfterMs: 4 * deletionsPeriodMs + 10_000 + BATCHES_PER_POLL * turnMs,
    run: (context) =>
      pollInTurn(
        [{ periodMs: deletionsPeriodMs, read: (signal) => lookUp(context, signal) }],
        settings.spread,
      ),
  };
}
