import { DAY_MS, HOUR_MS, type TrackingFact } from '../../../streams/internal.ts';
import { digestOf } from '../../resilience/digest.ts';
import { remembered } from '../../resilience/remembered.ts';
import { activeEventsOf } from '../active-events.ts';
import { type AccountEndpoint, type Endpoints, oracleUserUrl } from '../endpoints.ts';
import { createParts, type Parts } from '../parts.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import { decodeSome, isNotFound, isRefusal, readPayload, refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { FollowedValue, Source, SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import {
  isPlausibleCount,
  listedTracking,
  plausibleSync,
  trackingFact,
  trackingList,
  trackingTotal,
} from './oracle-payload.ts';

/** The oracle still corrects a count for a while after the window's end. */
const AFTERMATH_MS = 2 * HOUR_MS;
const REMEMBERED = 2_000;
/** Windows that are open at a time, with room, and the list of them: each waits for a turn of its own. */
const TURNS_PER_ROUND = 8;

/** The settlement oracle's windows of an account and their counts. */
export function oracleSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  const { baseUrl, pace } = endpoints.oracle;
  const turnMs = pace?.roundMs ?? 0;
  const headers = { 'user-agent': endpoints.userAgent };
  // Kept over restarts of the source: what was delivered is in the log and is not delivered again.
  const deliveredTrackings = remembered<string, string>(REMEMBERED);
  const deliveredTotals = remembered<string, string>(REMEMBERED);
  const partsIn = createParts();
  const faults = tellOnce(REMEMBERED);
  /** The windows listed last; undefined until the list was read. */
  let trackings: readonly TrackingFact[] | undefined;

  async function list(context: SourceContext, signal: AbortSignal) {
    const query = new URLSearchParams({ platform: account.platform });
    const url = `${oracleUserUrl(account, endpoints)}/trackings?${query}`;
    const request = { headers, signal, timeoutMs: settings.slowTimeoutMs, pace };
    const { data } = await readPayload(url, trackingList, request, context);
    const { values, reasons } = decodeSome(listedTracking, data, 'the list of windows holds', context);
    for (const reason of reasons) faults.tell(reason, `a listed window is refused: ${reason}`, context);
    const facts = values.map((tracking) => trackingFact(account.id, tracking));
    const changed = facts.filter((fact) => deliveredTrackings.peek(fact.trackingId) !== digestOf(fact));
    await context.deliver(changed);
    for (const fact of changed) deliveredTrackings.set(fact.trackingId, digestOf(fact));
    trackings = facts;
  }

  async function readTotal(tracking: TrackingFact, context: SourceContext, signal: AbortSignal) {
    const { trackingId } = tracking;
    const url = `${baseUrl}/trackings/${encodeURIComponent(trackingId)}?includeStats=true`;
    const request = { headers, signal, timeoutMs: settings.slowTimeoutMs, pace };
    const { data } = await readPayload(url, trackingTotal, request, context);
    const { total } = data.stats;
    if (!isPlausibleCount(total, tracking)) {
      refuse(`the oracle counts ${total} posts in the window ${trackingId}, more than there can be`, context);
    }
    const syncedAt = plausibleSync(data.user?.lastSync ?? null, context);
    const value = `${total} ${syncedAt}`;
    const isNew = deliveredTotals.peek(trackingId) !== value;
    await context.deliver(
      isNew ? [{ kind: 'oracle', account: account.id, trackingId, total, syncedAt }] : [],
      undefined,
      { [trackingId]: context.mono() },
    );
    deliveredTotals.set(trackingId, value);
  }

  function openAt(now: number): readonly TrackingFact[] {
    return (trackings ?? []).filter(({ startAt, endAt }) => startAt <= now && now < endAt + AFTERMATH_MS);
  }

  // The count of a window that is not listed, or not yet after a start, is shown all the same, and only grows older.
  function shownTotals({ now, lookups }: SourceContext): readonly FollowedValue[] {
    const active = activeEventsOf(account, lookups);
    // Also before an event shows it: its window may have been another one for a while, or the calendar ahead.
    const isLogged = (trackingId: string) => lookups.hasTotal(account.id, trackingId);
    const shown = [...openAt(now()), ...active].flatMap(({ trackingId }) => trackingId ?? []);
    return Array.from(new Set(shown), (value) => ({ value, isLogged: () => isLogged(value) }));
  }

  async function readOpen(context: SourceContext, parts: Parts, signal: AbortSignal) {
    const open = openAt(context.now());
    if (open.length === 0 && trackings !== undefined) await context.deliver([]);
    const read = (tracking: TrackingFact) => readTotal(tracking, context, signal);
    await parts.readEach(open, { nameOf: ({ trackingId }) => trackingId, read }, signal);
  }

  // One at a time, newest first: they serve statistics only, and the oracle blocks fast callers.
  async function readPast(context: SourceContext, signal: AbortSignal) {
    const now = context.now();
    const past = (trackings ?? []).filter(
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
    silentAfterMs: 6 * settings.oraclePeriodMs + settings.slowTimeoutMs + turnMs,
    usualMs: 2 * settings.oraclePeriodMs + TURNS_PER_ROUND * turnMs,
    run(context) {
      const parts = partsIn(context);
      context.follow(() => shownTotals(context));
      return pollInTurn(
        [
          {
            periodMs: settings.trackingsPeriodMs,
            read: (signal) => parts.readOne('list', () => list(context, signal), signal),
            againInMs: () => parts.leftOutMs('list'),
          },
          { periodMs: settings.oraclePeriodMs, read: (signal) => readOpen(context, parts, signal) },
          {
            periodMs: settings.oraclePastPeriodMs,
            read: (signal) => parts.readOne('past', () => readPast(context, signal), signal),
          },
        ],
        settings.spread,
      );
    },
  };
}
