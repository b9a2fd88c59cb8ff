import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS, type TrackingFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import { isNotFound, isRefusal, readEach, readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { trackingFact, trackingList, trackingTotal } from './oracle-payload.ts';

/** The oracle still corrects a count for a while after the window's end. */
const AFTERMATH_MS = 2 * HOUR_MS;
const REMEMBERED = 2_000;

/** The settlement oracle's windows of an account and their counts. */
export function oracleSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  const { baseUrl } = endpoints.oracle;
  const headers = { 'user-agent': endpoints.userAgent };
  // Kept over restarts of the source: what was delivered is in the log and is not delivered again.
  const deliveredTrackings = new LRUCache<string, string>({ max: REMEMBERED });
  const deliveredTotals = new LRUCache<string, string>({ max: REMEMBERED });
  let trackings: readonly TrackingFact[] = [];

  async function list(context: SourceContext, signal: AbortSignal) {
    const query = new URLSearchParams({ platform: account.platform });
    const url = `${baseUrl}/users/${encodeURIComponent(account.handle)}/trackings?${query}`;
    const request = { headers, signal, timeoutMs: settings.slowTimeoutMs };
    const { data } = await readPayload(url, trackingList, request, context);
    const facts = data.map((tracking) => trackingFact(account.id, tracking));
    const changed = facts.filter((fact) => deliveredTrackings.peek(fact.trackingId) !== JSON.stringify(fact));
    await context.deliver(changed);
    for (const fact of changed) deliveredTrackings.set(fact.trackingId, JSON.stringify(fact));
    trackings = facts;
  }

  async function readTotal({ trackingId }: TrackingFact, context: SourceContext, signal: AbortSignal) {
    const url = `${baseUrl}/trackings/${encodeURIComponent(trackingId)}?includeStats=true`;
    const request = { headers, signal, timeoutMs: settings.slowTimeoutMs };
    const { data } = await readPayload(url, trackingTotal, request, context);
    const { total } = data.stats;
    const syncedAt = data.user?.lastSync ?? null;
    const value = `${total} ${syncedAt}`;
    const isNew = deliveredTotals.peek(trackingId) !== value;
    await context.deliver(
      isNew ? [{ kind: 'oracle', account: account.id, trackingId, total, syncedAt }] : [],
    );
    deliveredTotals.set(trackingId, value);
  }

  async function readOpen(context: SourceContext, signal: AbortSignal) {
    const now = context.now();
    const open = trackings.filter(({ startAt, endAt }) => startAt <= now && now < endAt + AFTERMATH_MS);
    if (open.length === 0) await context.deliver([]);
    await readEach(open, (tracking) => readTotal(tracking, context, signal));
  }

  // One at a time, newest first: they serve statistics only, and the oracle blocks fast callers.
  async function readPast(context: SourceContext, signal: AbortSignal) {
    const now = context.now();
    const past = trackings.filter(
      ({ trackingId, endAt }) =>
        endAt + AFTERMATH_MS <= now &&
        endAt > now - settings.historyDays * DAY_MS &&
        !deliveredTotals.has(trackingId),
    );
    const next = past.sort((a, b) => b.endAt - a.endAt)[0];
    if (next === undefined) return;
    await readTotal(next, context, signal).catch((error: unknown) => {
      // Listed without a usable total: asking again would not change that.
      if (isNotFound(error) || isRefusal(error)) deliveredTotals.set(next.trackingId, 'none');
      if (!isNotFound(error)) throw error;
    });
  }

  return {
    name: `oracle:${account.id}`,
    silentAfterMs: 6 * settings.oraclePeriodMs + settings.slowTimeoutMs,
    run: (context) =>
      pollInTurn(
        { periodMs: settings.trackingsPeriodMs, read: (signal) => list(context, signal) },
        { periodMs: settings.oraclePeriodMs, read: (signal) => readOpen(context, signal) },
        { periodMs: settings.oraclePastPeriodMs, read: (signal) => readPast(context, signal) },
      ),
  };
}
