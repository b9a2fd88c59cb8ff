import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createRng, type Rng } from '../rng.ts';
import type { Account } from './accounts.ts';
import { livelyStart } from './lively-start.ts';
import type { Post } from './post.ts';
import { countedKind, type Draft } from './post-draft.ts';
import { isCounted } from './post-kind.ts';
import { snowflake } from './snowflake.ts';

/** How far the history reaches back before the world's start: 100 days of settled events, a month event before them. */
export const HISTORY_DAYS = 140;

interface DailyPostsOptions {
  readonly seed: number;
  readonly startAt: number;
}

/** The account's own day that holds `at`; day 0 holds the world's start. */
export function dayOf(account: Account, startAt: number, at: number): number {
  return Math.floor((at - dayStart(account, startAt, 0)) / DAY_MS);
}

export function dayStart(account: Account, startAt: number, day: number): number {
  return startAt - account.hourAtStart * HOUR_MS + day * DAY_MS;
}

const FIRST_WEEK = -Math.ceil(HISTORY_DAYS / 7) - 1;

/** How busy a week is, 1 on average: a chain, so that a busy week is likely followed by another. */
function weekLevel(account: Account, seed: number, week: number): number {
  let log = 0;
  for (let index = FIRST_WEEK; index <= week; index++) {
    log = 0.6 * log + 0.13 * createRng(seed, 'week', account.id, index).normal();
  }
  return Math.exp(log);
}

/** Everything the account posts on one of its own days, oldest first. A pure function of its arguments. */
export function postsOfDay(account: Account, options: DailyPostsOptions, day: number): readonly Post[] {
  if (day < -HISTORY_DAYS) return [];
  const { seed, startAt } = options;
  const rng = createRng(seed, 'day', account.id, day);
  const dayAt = dayStart(account, startAt, day);
  const wakeAt = dayAt + Math.max(0.1, account.wakeHour + 0.4 * rng.normal()) * HOUR_MS;
  const sleepAt = dayAt + Math.min(23.5, account.sleepHour + 0.6 * rng.normal()) * HOUR_MS;
  const isQuiet = rng.chance(0.06) && day !== 0;
  const level =
    weekLevel(account, seed, Math.floor(day / 7)) * Math.exp(0.2 * rng.normal()) * (isQuiet ? 0.35 : 1);

  const drafts: Draft[] = [];
  draftCounted(account, rng, { wakeAt, sleepAt, target: Math.round(account.countedPerDay * level) }, drafts);
  const replies = Math.round(account.repliesPerDay * level * rng.between(0.6, 1.4));
  draftReplies(rng, { wakeAt, sleepAt, target: replies }, drafts);
  const awake = drafts.filter((draft) => draft.at >= wakeAt && draft.at < sleepAt);
  return finish(account, rng, day === 0 ? livelyStart(account, rng, startAt, awake) : awake, dayAt + DAY_MS);
}

interface Waking {
  readonly wakeAt: number;
  readonly sleepAt: number;
  readonly target: number;
}

/** Two humps a day: a broad one before noon of the waking time, a narrower one in its evening. */
function wakingInstant(rng: Rng, waking: Waking): number {
  const share = rng.chance(0.55) ? 0.32 + 0.17 * rng.normal() : 0.8 + 0.11 * rng.normal();
  return waking.wakeAt + Math.min(0.999, Math.max(0, share)) * (waking.sleepAt - waking.wakeAt);
}

function draftCounted(account: Account, rng: Rng, waking: Waking, drafts: Draft[]): void {
  let made = 0;
  while (made < waking.target) {
    let at = wakingInstant(rng, waking);
    const size = 1 + Math.floor(rng.exponential(account.meanBurst));
    for (let index = 0; index < size && made < waking.target; index++) {
      const kind = countedKind(account, rng);
      let draft: Draft = { at, kind, parent: null };
      drafts.push(draft);
      made++;
      const threadLength = kind === 'original' && rng.chance(0.25) ? rng.int(1, 4) : 0;
      for (let part = 0; part < threadLength && made < waking.target; part++) {
        at += rng.between(20_000, 60_000);
        draft = { at, kind: 'selfReply', parent: draft };
        drafts.push(draft);
        made++;
      }
      if (rng.chance(0.006)) drafts.push({ at: at + 5_000, kind: 'communityRepost', parent: null });
      at += 12_000 + rng.exponential(40_000);
    }
  }
}

function draftReplies(rng: Rng, waking: Waking, drafts: Draft[]): void {
  let made = 0;
  while (made < waking.target) {
    let at = wakingInstant(rng, waking);
    const size = 1 + Math.floor(rng.exponential(3));
    for (let index = 0; index < size && made < waking.target; index++, made++) {
      drafts.push({ at, kind: rng.chance(0.05) ? 'quotingReply' : 'reply', parent: null });
      at += 15_000 + rng.exponential(30_000);
    }
  }
}

function finish(account: Account, rng: Rng, drafts: readonly Draft[], dayEndAt: number): readonly Post[] {
  const ordered = [...drafts].sort((left, right) => left.at - right.at);
  const ids = new Map<Draft, string>();
  let previousAt = 0;
  return ordered.map((draft) => {
    // Ids carry the ms, so no two posts of an account share one.
    const createdAt = Math.max(Math.floor(draft.at), previousAt + 1);
    previousAt = createdAt;
    const id = snowflake(createdAt, account.id);
    ids.set(draft, id);
    const deletedAt = rng.chance(0.015) ? createdAt + lifetimeMs(rng) : Number.POSITIVE_INFINITY;
    const editedAt = createdAt + Math.floor(rng.between(1, 25) * MINUTE_MS);
    const canEdit = isCounted(draft.kind) && draft.kind !== 'repost' && rng.chance(0.015);
    const edit =
      canEdit && editedAt < Math.min(dayEndAt, deletedAt)
        ? { id: snowflake(editedAt, account.id, 'edit'), at: editedAt }
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
