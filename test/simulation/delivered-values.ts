import type { Store } from '../../src/store/store.ts';
import type { EventRecord } from '../../streams/internal.ts';
import { createSentTexts } from './sent-texts.ts';

/** The inputs of an event. */
export const INPUTS = ['posts', 'oracle', 'ui', 'prices'] as const;
export type Input = (typeof INPUTS)[number];

interface DeliveredValues {
  /** Told each answer that the engine has read. */
  onRead(url: URL, text: string): void;
  /** Takes the bytes that the engine receives over one connection with the world. */
  receiver(): (bytes: Buffer) => void;
  /**
   * When the engine last heard of an input of an event, virtual ms; undefined when it never has, knows no such event, or the
   * event was not active a moment ago, or had other buckets: it is followed from the next look at the active events on.
   */
  heardAt(eventId: string, input: Input): number | undefined;
}

const TOKEN = /"asset_id":"(\d+)"/g;

/** When the world has last delivered each value that records depend on, out of the text of what it sent. */
export function createDeliveredValues({
  now,
  kept,
  accounts,
  followedAfterMs,
}: {
  readonly now: () => number;
  /** From an event's opening to the tick that tells the ages of its own values. */
  readonly followedAfterMs: number;
  readonly kept: Store;
  readonly accounts: readonly { readonly id: string; readonly userId: string }[];
}): DeliveredValues {
  const posts = new Map<string, number>();
  const totals = new Map<string, number>();
  const pages = new Map<string, number>();
  const tokens = new Map<string, number>();
  /** When each active event was first found to be active with the tokens that it has. */
  const activeSince = new Map<string, { readonly at: number; readonly tokens: string }>();

  function isFollowed(eventId: string, { phase, buckets }: EventRecord): boolean {
    if (phase !== 'active') {
      activeSince.delete(eventId);
      return true;
    }
    const tokens = buckets.map(({ yesToken }) => yesToken).join();
    const known = activeSince.get(eventId);
    const since = known?.tokens === tokens ? known : { at: now(), tokens };
    activeSince.set(eventId, since);
    return now() - since.at >= followedAfterMs;
  }

  function hear(text: string): void {
    for (const [, token = ''] of text.matchAll(TOKEN)) tokens.set(token, now());
  }

  /** A list of books may leave out those that do not exist, which says so much of each token that is asked for. */
  function hearBooks(text: string): void {
    hear(text);
    for (const event of kept.outputs.latest('events')) {
      if (event.stream !== 'events' || event.record.phase !== 'active') continue;
      for (const { yesToken } of event.record.buckets) tokens.set(yesToken, now());
    }
  }

  return {
    onRead(url, text) {
      if (!isJson(text)) return;
      const [, host, second, third, fourth = '', fifth] = url.pathname.split('/');
      if (host === 'posts-api' && third === 'users' && fifth === 'tweets') posts.set(fourth, now());
      if (host === 'oracle' && third === 'trackings') totals.set(decodeURIComponent(fourth), now());
      if (host === 'market' && second === 'events' && third === 'slug') pages.set(fourth, now());
      if (host === 'book' && second === 'books') hearBooks(text);
    },
    receiver: () => createSentTexts(hear),
    heardAt(eventId, input) {
      const event = kept.outputs.get('events', eventId);
      if (event?.stream !== 'events') return undefined;
      const { subject, trackingId, slug, buckets } = event.record;
      if (subject.type !== 'posts' || !isFollowed(eventId, event.record)) return undefined;
      switch (input) {
        case 'posts':
          return posts.get(accounts.find(({ id }) => id === subject.account)?.userId ?? '');
        case 'oracle':
          return trackingId === null ? undefined : totals.get(trackingId);
        case 'ui':
          return pages.get(slug);
        case 'prices': {
          const heard = buckets.flatMap(({ yesToken }) => tokens.get(yesToken) ?? []);
          return heard.length === 0 ? undefined : Math.max(...heard);
        }
      }
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
