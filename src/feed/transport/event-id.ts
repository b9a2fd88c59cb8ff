import type { Reader, Subscription } from '../delivery/reader.ts';
import type { Cursor } from '../delivery/subscriptions.ts';

/**
 * The reader's cursors of all topics once it has frame `sentSeq` of `sent`, as the id of an event:
 * `epoch;counters/account_a=12;test=7`. A browser sends it back in a header. Names of topics contain neither `;` nor
 * `=`.
 */
export function eventId(
  epoch: string,
  { subscriptions }: Reader,
  sent: Subscription | undefined,
  sentSeq: number | undefined,
): string {
  let text = epoch;
  for (const [name, subscription] of subscriptions) {
    const { place } = subscription;
    const seq = subscription === sent ? sentSeq : 'seq' in place ? place.seq : undefined;
    if (seq !== undefined) text += `;${name}=${seq}`;
  }
  return text;
}

/** The cursor of each topic, by name; empty for a text that is not an event id. */
export function parseEventId(text: string): ReadonlyMap<string, Cursor> {
  const [epoch = '', ...places] = text.split(';');
  const cursors = new Map<string, Cursor>();
  for (const place of places) {
    const [, name, seq] = /^([\w/-]+)=(\d{1,15})$/.exec(place) ?? [];
    if (name !== undefined) cursors.set(name, { epoch, seq: Number(seq) });
  }
  return cursors;
}
