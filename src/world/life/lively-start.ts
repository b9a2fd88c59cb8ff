import { MINUTE_MS } from '../../../streams/internal.ts';
import type { Rng } from '../rng.ts';
import type { Account } from './accounts.ts';
import { countedKind, type Draft } from './post-draft.ts';

const LIVELY_MS = 10 * MINUTE_MS;

interface Lively {
  readonly first: readonly [number, number];
  readonly between: readonly [number, number];
}

/** Ms until the first post, and the shortest and the longest between two, by the place of the account. */
const LIVELY: readonly Lively[] = [
  { first: [10_000, 18_000], between: [10_000, 40_000] },
  { first: [25_000, 50_000], between: [40_000, 90_000] },
];

/**
 * Replaces the ten minutes after the world's start by a burst, so that whoever has just opened it sees
 * counters move: A's first counted post after 10 to 20 s, then one every 10 to 40 s, B about each minute. The others live on.
 */
export function livelyStart(
  account: Account,
  rng: Rng,
  startAt: number,
  drafts: readonly Draft[],
): readonly Draft[] {
  const lively = LIVELY[account.index];
  if (lively === undefined) return drafts;
  const endAt = startAt + LIVELY_MS;
  const kept = drafts.filter((draft) => draft.at < startAt || draft.at >= endAt);
  let previous: Draft | undefined;
  for (let at = startAt + rng.between(...lively.first); at < endAt; at += rng.between(...lively.between)) {
    const next = nextDraft(account, rng, at, previous);
    kept.push(next);
    previous = next;
  }
  return kept;
}

function nextDraft(account: Account, rng: Rng, at: number, previous: Draft | undefined): Draft {
  if (previous === undefined) return { at, kind: countedKind(account, rng), parent: null };
  if (previous.kind === 'original' && rng.chance(0.4)) return { at, kind: 'selfReply', parent: previous };
  return { at, kind: rng.chance(0.2) ? 'reply' : countedKind(account, rng), parent: null };
}
