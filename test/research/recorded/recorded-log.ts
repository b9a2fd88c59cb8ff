import type { Store } from '../../../src/store/store.ts';
import { HOUR_MS, MINUTE_MS, type Observation, type Output } from '../../../streams/internal.ts';
import { event, partition, post, quote, settings, tick, tracking } from '../../support/facts.ts';
import { GraphSession } from '../../support/model-answers.ts';

export const FIRST_AT = Date.UTC(2026, 0, 5);
const LENGTH_MS = 26 * HOUR_MS;
const STEP_MS = 4 * MINUTE_MS;
const FRESH = { 'posts:a': 100, 'oracle:a': 500, 'ui:a': 500, prices: 200, events: 500 };

interface Recorded {
  readonly observations: readonly Observation[];
  readonly outputs: readonly Output[];
}

/**
 * A log of events of 26 h one after the other, with a post each two hours, books that are confirmed every four minutes, a
 * forecast each time, and the outcome three hours after the close: `winners` are the places of the buckets that won.
 */
export function recordedLog(winners: readonly number[]): Recorded {
  const session = new GraphSession();
  session.observe(FIRST_AT, settings());
  session.observe(FIRST_AT, { kind: 'coverage', account: 'a', fromAt: FIRST_AT - 90 * 24 * HOUR_MS });
  let posts = 0;
  let at = FIRST_AT;
  for (const [index, winner] of winners.entries()) {
    const eventId = index + 1;
    const startAt = FIRST_AT + index * (LENGTH_MS + 4 * HOUR_MS);
    const endAt = startAt + LENGTH_MS;
    const facts = { eventId, slug: `event-${eventId}`, startAt, endAt };
    session.observe(at, tracking({ trackingId: `t${eventId}`, slug: facts.slug, startAt, endAt }));
    session.observe(at, event({ ...facts, buckets: partition(eventId) }));
    session.observe(at, { kind: 'listing', subject: 'posts' });
    for (at = startAt; at < endAt + 3 * HOUR_MS; at += STEP_MS) {
      const isOpen = at < endAt;
      if (isOpen && (at - startAt) % (2 * HOUR_MS) === HOUR_MS) {
        posts += 1;
        session.observe(at, post({ id: String(1_000 + posts), createdAt: at - 500, text: `post ${posts}` }));
      }
      const total = Math.min(13, Math.ceil((at - startAt) / (2 * HOUR_MS)));
      if ((at - startAt) % HOUR_MS === 0)
        session.observe(at, {
          kind: 'oracle',
          account: 'a',
          trackingId: `t${eventId}`,
          total,
          syncedAt: null,
        });
      if (isOpen && (at - startAt) % (20 * MINUTE_MS) === 0)
        session.observe(at, {
          kind: 'prices',
          eventId,
          quotes: quotesAt(eventId, (at - startAt) / LENGTH_MS),
        });
      if (isOpen && (at - startAt) % HOUR_MS === 0)
        session.observe(at, { kind: 'ui', eventId, count: total });
      session.observe(at, tick(FRESH));
      session.answer(at);
    }
    const buckets = partition(eventId).map((bucket, place) => ({ ...bucket, won: place === winner }));
    session.observe(at, event({ ...facts, isClosed: true, buckets }));
    session.observe(at, tick(FRESH));
  }
  return { observations: session.log, outputs: session.outputs };
}

/** The market is sure of the middle bucket, the more the later it is. */
function quotesAt(eventId: number, share: number) {
  const middle = 0.4 + Math.round(20 * share) / 50;
  return partition(eventId).map(({ yesToken: token }, place) => {
    const price = place === 1 ? middle : (1 - middle) / 2;
    return quote({ token, bid: price - 0.01, ask: price + 0.01, bidSize: 200, askSize: 150 });
  });
}

/** Keeps it as an engine would. */
export async function keep(store: Store, { observations, outputs }: Recorded): Promise<void> {
  const kept = outputs.filter(({ stream }) => !['requests', 'freshness', 'signals'].includes(stream));
  await store.journal.append(observations);
  await store.outputs.append(kept, observations.length);
}
