/**
 * The seed of an event's draws, 32 bits from the event and the model's name. The draws stay the same over the event's
 * life, so that only news changes a probability, never chance.
 */
export function seedOf(eventId: number, model: string): number {
  let hash = 0x811c9dc5;
  for (const letter of `${eventId}:${model}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  // Mixed, so that the seeds of neighbouring event ids differ in all bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
