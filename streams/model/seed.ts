/**
 * The seed of an event's draws, 32 bits from the event and the model's name. It does not change with the log:
 * the draws stay the same over the event's life, so that only news changes a probability and never chance.
 * The instant and the fit are in the forecast's inputs, which are kept beside the seed.
 */
export function seedOf(eventId: number, model: string): number {
  let hash = 0x811c9dc5;
  for (const letter of `${eventId}:${model}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  // Spread, so that neighbouring event ids have unlike seeds in every bit.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
