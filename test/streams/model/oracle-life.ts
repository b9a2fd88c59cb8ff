import type { DeletedPost, OracleView, OwnPosts } from '../../../streams/model/settlement.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 1_440 * MINUTE_MS;

/** An account and an oracle that counts its posts, with every fault of one at a known rate. */
export interface OracleLife {
  readonly postsPerDay: number;
  readonly misjudged: number;
  readonly extra: number;
  readonly deletedSoon: number;
  readonly stallsPerDay: number;
  readonly saysWhenItRead: boolean;
}

export const USUAL_LIFE: OracleLife = {
  postsPerDay: 40,
  misjudged: 0.004,
  extra: 0.002,
  deletedSoon: 0.02,
  stallsPerDay: 0.3,
  saysWhenItRead: true,
};

interface LivedPost {
  readonly createdAt: number;
  readonly isOwn: boolean;
  readonly deletedAt: number;
  readonly foundGoneAt: number;
  readonly includedAt: number;
}

/** A window that was lived through, as it looked at any instant. */
export interface LivedWindow {
  readonly startAt: number;
  readonly endAt: number;
  readonly ownFinal: number;
  readonly settledFinal: number;
  ownAt(now: number): OwnPosts;
  oracleAt(now: number): OracleView;
  deletedAt(now: number): readonly DeletedPost[];
  /** The posts made before `now` that settle. */
  settledAt(now: number): number;
}

/** Numbers in [0, 1), the same for the same seed. */
export function draws(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
  };
}

export function lived(life: OracleLife, seed: number, days = 3, startAt = 1_000 * DAY_MS): LivedWindow {
  const draw = draws(seed);
  const endAt = startAt + days * DAY_MS;
  const reads = readTimes(life, startAt, endAt + DAY_MS, draw);
  const posts: LivedPost[] = [];
  for (let at = startAt; ; ) {
    // Nights of a third of a day are silent.
    at += (-Math.log(1 - draw()) * DAY_MS * 0.67) / life.postsPerDay;
    if ((at % DAY_MS) / DAY_MS < 0.33) at += 0.33 * DAY_MS - (at % DAY_MS);
    if (at >= endAt) break;
    posts.push(livePost(life, Math.floor(at), reads, draw));
  }
  const own = posts.filter(({ isOwn }) => isOwn);
  const settledAt = (now: number) =>
    posts.filter(({ createdAt, includedAt }) => createdAt < now && includedAt < Infinity).length;
  const countAt = (at: number) => posts.filter(({ includedAt }) => includedAt <= at).length;
  const lastReadAt = (now: number) => reads.findLast((at) => at <= now) ?? startAt;
  return {
    startAt,
    endAt,
    ownFinal: own.length,
    settledFinal: settledAt(endAt),
    settledAt,
    ownAt(now) {
      const postTimes = own.map(({ createdAt }) => createdAt).filter((at) => at + 10 * SECOND_MS < now);
      return { now, startAt, count: postTimes.length, postTimes };
    },
    oracleAt(now) {
      const readAt = lastReadAt(now);
      const count = countAt(now);
      const changedAt = Math.max(
        startAt,
        ...posts.map(({ includedAt }) => includedAt).filter((at) => at <= now),
      );
      return {
        count,
        readAt: life.saysWhenItRead ? readAt : null,
        answeredAt: now - 5 * SECOND_MS,
        changedAt,
      };
    },
    deletedAt: (now) =>
      own
        .filter(({ foundGoneAt }) => foundGoneAt <= now)
        .map(({ createdAt, foundGoneAt }) => ({ createdAt, upMs: foundGoneAt - createdAt })),
  };
}

function readTimes(life: OracleLife, fromAt: number, toAt: number, draw: () => number): readonly number[] {
  const reads: number[] = [];
  let stalledUntil = 0;
  for (let at = fromAt; at < toAt; at += 5 * MINUTE_MS) {
    if (draw() < life.stallsPerDay / 288) stalledUntil = at + (20 + 20 * draw()) * MINUTE_MS;
    const readAt = Math.floor(at + (28 + 32 * draw()) * SECOND_MS);
    if (readAt >= stalledUntil) reads.push(readAt);
  }
  return reads;
}

function livePost(
  life: OracleLife,
  createdAt: number,
  reads: readonly number[],
  draw: () => number,
): LivedPost {
  if (draw() < life.extra) {
    const includedAt = reads.find((at) => at >= createdAt) ?? Infinity;
    return { createdAt, isOwn: false, deletedAt: Infinity, foundGoneAt: Infinity, includedAt };
  }
  const isDeletedSoon = draw() < life.deletedSoon;
  const deletedAt = isDeletedSoon ? createdAt - Math.log(1 - draw()) * MINUTE_MS : Infinity;
  const foundGoneAt = deletedAt + (30 + 30 * draw()) * SECOND_MS;
  const first = reads.findIndex((at) => at >= createdAt + 2 * SECOND_MS);
  // One in twenty is overlooked by one to four readings.
  const overlooked = draw() < 0.05 ? 1 + Math.floor(4 * draw()) : 0;
  const readAt = reads[first + overlooked] ?? Infinity;
  const isMisjudged = draw() < life.misjudged;
  return {
    createdAt,
    isOwn: true,
    deletedAt,
    foundGoneAt,
    includedAt: isMisjudged || first === -1 || readAt >= deletedAt ? Infinity : readAt,
  };
}
