import type { Reader } from '../delivery/delivery.ts';

/**
 * Where a reader is in all his topics, as one text: `epoch;counters/account_a=12;test=7`. It goes through a header,
 * and names of topics have neither `;` nor `=`.
 */
export function cursorOf(epoch: string, { subscriptions }: Reader): string {
  let text = epoch;
  for (const [name, { state, sentSeq, wantsSnapshot }] of subscriptions) {
    // Of what was never sent he has no place yet.
    if (wantsSnapshot || !state.topic.channel.isStored) continue;
    text += `;${name}=${sentSeq}`;
  }
  return text;
}

/** The place in each topic; empty for a text that is none of ours. */
export function parseCursor(
  text: string,
): ReadonlyMap<string, { readonly epoch: string; readonly seq: number }> {
  const [epoch = '', ...places] = text.split(';');
  const cursors = new Map<string, { readonly epoch: string; readonly seq: number }>();
  for (const place of places) {
    const [, name, seq] = /^([\w/-]+)=(\d{1,15})$/.exec(place) ?? [];
    if (name !== undefined) cursors.set(name, { epoch, seq: Number(seq) });
  }
  return cursors;
}
