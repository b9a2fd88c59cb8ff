import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createRng, type Rng } from '../rng.ts';
import type { Account } from './accounts.ts';
import { fillSilences } from './fill-silences.ts';
import { HISTORY_DAYS, levelOf } from './level.ts';
import { livelyStart } from './lively-start.ts';
import type { Post } from './post.ts';
import { countedKind, type Draft } from './post-draft.ts';
import { isCounted } from './post-kind.ts';
import { ownSnowflake } from './snowflake.ts';

interface DailyPostsOptions {
  readonly seed: number;
  readonly startAt: number;
}

/** The account's own day that holds `at`; day 0 holds the world's start. */
export function dayOf(account: Account, startAt: number, at: number): number {
  return Math.floor((at - dayStart(account, startAt, 0)) / DAY_MS);
}

export function dayStart({ day: begin }: Account, startAt: number, day: number): number {
  if (begin.type === 'before-start') return startAt - begin.hours * HOUR_MS + day * DAY_MS;
  const offsetMs = Math.floor(begin.hour * HOUR_MS);
  return Math.floor((startAt - offsetMs) / DAY_MS) * DAY_MS + offsetMs + day * DAY_MS;
}

/** Everything the account posts on one of its own days, oldest first. A pure function of its arguments. */
export function postsOfDay(account: Account, options: DailyPostsOptions, day: number): readonly Post[] {
  if (day < -HISTORY_DAYS) return [];
  const { seed, startAt } = options;
  const rng = createRng(seed, 'day', account.id, day);
  const dayAt = dayStart(account, startAt, day);
  const dayEndAt = dayAt + DAY_MS;
  const { clockMinutes } = account;
  if (clockMinutes !== null) return finish(account, rng, byTheClock(rng, clockMinutes, dayAt), dayEndAt);
  const level = levelOf(account, seed, day);
  if (level === 0) return [];

  const wakeAt = dayAt + Math.max(0.1, account.wakeHour + 0.4 * bounded(rng.normal())) * HOUR_MS;
  const sleepAt = dayAt + Math.min(23.5, account.sleepHour + 0.6 * bounded(rng.normal())) * HOUR_MS;
  const waking = { wakeAt, sleepAt, moods: moodsOf(rng) };
  const drafts: Draft[] = [];
  for (const at of burstsOf(rng, waking, (account.countedPerDay * level) / postsPerBurst(account)))
    draftBurst(account, rng, at, drafts);
  for (const at of burstsOf(rng, waking, (account.repliesPerDay * level) / REPLIES_PER_BURST))
    draftReplies(rng, at, drafts);
  const awake = drafts.filter((draft) => draft.at >= wakeAt && draft.at < sleepAt);
  const lively = day === 0 ? livelyStart(account, rng, startAt, awake) : awake;
  return finish(account, rng, withoutSilences(account, rng, lively, { dayAt, wakeAt, sleepAt }), dayEndAt);
}

/** Beyond two and a half deviations nobody oversleeps: somebody else counts on it. */
function bounded(normal: number): number {
  return Math.max(-2.5, Math.min(2.5, normal));
}

/** One in fifty is missed. */
function byTheClock(rng: Rng, periodMinutes: number, dayAt: number): readonly Draft[] {
  const drafts: Draft[] = [];
  for (let minute = 0; minute < 24 * 60; minute += periodMinutes) {
    const at = dayAt + minute * MINUTE_MS + rng.between(0, 15_000);
    if (!rng.chance(0.02)) drafts.push({ at, kind: 'original', parent: null });
  }
  return drafts;
}

interface Waking {
  readonly wakeAt: number;
  readonly sleepAt: number;
  /** How inclined to post it is in each part of the waking time, 1 on average. */
  readonly moods: readonly number[];
}

const MOODS = 5;
const STRONGEST_MOOD = 2.5;

function moodsOf(rng: Rng): readonly number[] {
  return Array.from({ length: MOODS }, () => Math.min(STRONGEST_MOOD, Math.exp(0.3 * rng.normal() - 0.045)));
}

/** Instants of a Poisson process: what came before says nothing of what is still to come. */
function burstsOf(rng: Rng, { wakeAt, sleepAt, moods }: Waking, expected: number): readonly number[] {
  const instants: number[] = [];
  for (let left = rng.poisson(expected * STRONGEST_MOOD); left > 0; left--) {
    const share = wakingShare(rng);
    const mood = moods[Math.floor(share * MOODS)] ?? 1;
    if (rng.chance(mood / STRONGEST_MOOD)) instants.push(wakeAt + share * (sleepAt - wakeAt));
  }
  return instants;
}

/** Two humps a day: a broad one before noon of the waking time, a narrower one in its evening. */
function wakingShare(rng: Rng): number {
  const share = rng.chance(0.55) ? 0.32 + 0.17 * rng.normal() : 0.8 + 0.11 * rng.normal();
  return Math.min(0.999, Math.max(0, share));
}

const THREAD_CHANCE = 0.25;
const LONGEST_THREAD = 4;

/** The mean of what `draftBurst` makes. */
function postsPerBurst({ meanBurst, repostShare, quoteShare }: Account): number {
  const extra = meanBurst === 0 ? 0 : 1 / Math.expm1(1 / meanBurst);
  const perOriginal = THREAD_CHANCE * ((1 + LONGEST_THREAD) / 2);
  return (1 + extra) * (1 + (1 - repostShare - quoteShare) * perOriginal);
}

function draftBurst(account: Account, rng: Rng, startAt: number, drafts: Draft[]): void {
  let at = startAt;
  const size = 1 + Math.floor(rng.exponential(account.meanBurst));
  for (let index = 0; index < size; index++) {
    const kind = countedKind(account, rng);
    let draft: Draft = { at, kind, parent: null };
    drafts.push(draft);
    const threadLength = kind === 'original' && rng.chance(THREAD_CHANCE) ? rng.int(1, LONGEST_THREAD) : 0;
    for (let part = 0; part < threadLength; part++) {
      at += rng.between(20_000, 60_000);
      draft = { at, kind: 'selfReply', parent: draft };
      drafts.push(draft);
    }
    if (rng.chance(0.006)) drafts.push({ at: at + 5_000, kind: 'communityRepost', parent: null });
    at += 12_000 + rng.exponential(40_000);
  }
}

const REPLIES_PER_BURST = 3.5;

function draftReplies(rng: Rng, startAt: number, drafts: Draft[]): void {
  let at = startAt;
  const size = 1 + Math.floor(rng.exponential(3));
  for (let index = 0; index < size; index++) {
    drafts.push({ at, kind: rng.chance(0.05) ? 'quotingReply' : 'reply', parent: null });
    at += 15_000 + rng.exponential(30_000);
  }
}

function withoutSilences(
  { noSilenceHours }: Account,
  rng: Rng,
  drafts: readonly Draft[],
  { dayAt, wakeAt, sleepAt }: { readonly dayAt: number; readonly wakeAt: number; readonly sleepAt: number },
): readonly Draft[] {
  if (noSilenceHours === null) return drafts;
  const [from, to] = noSilenceHours;
  const fromAt = Math.max(wakeAt, dayAt + from * HOUR_MS);
  return fillSilences(rng, drafts, fromAt, Math.min(sleepAt, dayAt + to * HOUR_MS));
}

function finish(account: Account, rng: Rng, drafts: readonly Draft[], dayEndAt: number): readonly Post[] {
  const ordered = [...drafts].sort((left, right) => left.at - right.at);
  const ids = new Map<Draft, string>();
  let previousAt = 0;
  return ordered.map((draft) => {
    // Ids carry the ms, so no two posts of an account share one.
    const createdAt = Math.max(Math.floor(draft.at), previousAt + 1);
    previousAt = createdAt;
    const id = ownSnowflake(createdAt, account.index);
    ids.set(draft, id);
    const deletedAt = rng.chance(0.015) ? createdAt + lifetimeMs(rng) : Number.POSITIVE_INFINITY;
    const editedAt = createdAt + Math.floor(rng.between(1, 25) * MINUTE_MS);
    const canEdit = isCounted(draft.kind) && draft.kind !== 'repost' && rng.chance(0.015);
    const edit =
      canEdit && editedAt < Math.min(dayEndAt, deletedAt)
        ? { id: ownSnowflake(editedAt, account.index, 'edit'), at: editedAt }
        : null;
    const parentId = draft.parent === null ? null : (ids.get(draft.parent) ?? null);
    return {
      id,
      account,
      kind: draft.kind,
      createdAt,
      shownAt: createdAt,
      deletedAt,
      edit,
      parentId,
      isManual: false,
      text: null,
      editedText: null,
    };
  });
}

/** How long a post that gets deleted was up: four in ten go within five minutes. */
function lifetimeMs(rng: Rng): number {
  return Math.floor(rng.chance(0.4) ? rng.between(0.5, 5) * MINUTE_MS : rng.between(0.5, 10) * HOUR_MS);
}
