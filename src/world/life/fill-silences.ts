import { MINUTE_MS } from '../../../streams/internal.ts';
import type { Rng } from '../rng.ts';
import type { Draft } from './post-draft.ts';

const LONGEST_SILENCE_MS = 4.7 * MINUTE_MS;

/**
 * Adds a reply wherever there would be none to read for about five minutes between `fromAt` and `toAt`. Whoever looks
 * at the world sees somebody post. Replies are not counted.
 */
export function fillSilences(
  rng: Rng,
  drafts: readonly Draft[],
  fromAt: number,
  toAt: number,
): readonly Draft[] {
  const instants = drafts.map(({ at }) => at).filter((at) => at > fromAt && at < toAt);
  instants.sort((left, right) => left - right);
  const added: Draft[] = [];
  let previous = fromAt;
  for (const next of [...instants, toAt]) {
    while (next - previous > LONGEST_SILENCE_MS) {
      previous += rng.between(0.5, 1) * LONGEST_SILENCE_MS;
      added.push({ at: previous, kind: 'reply', parent: null });
    }
    previous = next;
  }
  return [...drafts, ...added];
}
