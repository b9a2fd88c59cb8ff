import type { Reader, Subscription } from '../delivery/reader.ts';
import type { Cursor } from '../delivery/subscriptions.ts';

/**
 * The ids of the next events of `sent`, by the seqs of their frames: the reader's cursors of all topics once it has such an
 * event, as `epoch;counters/account_a=12;test=7`. A browser sends the last one back in a header. Names of topics contain
 * neither `;` nor `=`. Good until something else is sent.
 */
export function eventIds(
  epoch: string,
  { subscriptions }: Reader,
  sent: Subscription | undefined,
): (sentSeq: number | undefined) => string {
  let before = epoch;
  let after = '';
  let ownName: string | undefined;
  for (const [name, subscription] of subscriptions) {
    const { place } = subscription;
    if (subscription === sent) ownName = name;
    else if (!('seq' in place)) continue;
    else if (ownName === undefined) before += `;${name}=${place.seq}`;
    else after += `;${name}=${place.seq}`;
  }
  return (sentSeq) =>
    ownName === undefined || sentSeq === undefined
      ? `${before}${after}`
      : `${before};${ownName}=${sentSeq}${after}`;
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
