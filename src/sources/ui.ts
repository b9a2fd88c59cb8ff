import { SourceError } from '../errors.ts';
import { isAbsent, readDecoded, readEach } from './decode.ts';
import type { AccountEndpoint, Endpoints } from './endpoints.ts';
import { shownCount } from './market-payload.ts';
import { pollInTurn } from './poll.ts';
import { createRecent } from './recent.ts';
import type { SourceSettings } from './settings.ts';
import type { Source, SourceContext } from './source.ts';

/** The count the trading page shows for each active event of an account. */
export function uiSource(account: AccountEndpoint, endpoints: Endpoints, settings: SourceSettings): Source {
  const delivered = createRecent<number, number | null>(1_000);

  async function readShown(
    { eventId, slug }: { readonly eventId: number; readonly slug: string },
    context: SourceContext,
    signal: AbortSignal,
  ): Promise<number | null> {
    const url = `${endpoints.market.baseUrl}/events/slug/${encodeURIComponent(slug)}`;
    const headers = { 'user-agent': endpoints.userAgent };
    try {
      const request = { headers, signal, timeoutMs: settings.timeoutMs };
      const { id, tweetCount } = await readDecoded(url, shownCount, request, context);
      if (id === eventId) return tweetCount;
    } catch (error) {
      // A page that is gone shows nothing.
      if (!isAbsent(error)) throw error;
      return null;
    }
    const reason = `slug ${slug} is no longer event ${eventId}`;
    context.refused(reason);
    throw new SourceError('SOURCE_REFUSED', reason);
  }

  async function readActive(context: SourceContext, signal: AbortSignal) {
    const active = context.known
      .events()
      .filter(
        ({ phase, subject }) =>
          phase === 'active' && subject.type === 'posts' && subject.account === account.id,
      );
    if (active.length === 0) await context.deliver([]);
    await readEach(active, async (event) => {
      const { eventId } = event;
      const count = await readShown(event, context, signal);
      const isNew = delivered.get(eventId) !== count;
      await context.deliver(isNew ? [{ kind: 'ui', eventId, count }] : []);
      delivered.set(eventId, count);
    });
  }

  return {
    name: `ui:${account.id}`,
    silentAfterMs: 6 * settings.uiPeriodMs,
    run: (context) =>
      pollInTurn({ periodMs: settings.uiPeriodMs, read: (signal) => readActive(context, signal) }),
  };
}
