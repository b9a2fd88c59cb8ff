import { MINUTE_MS } from '../../../streams/internal.ts';
import type { Account, WorldAccountId } from '../life/accounts.ts';
import { snowflake } from '../life/snowflake.ts';
import type { Timeline } from '../life/timeline.ts';
import type { WorldEvent } from '../market/event.ts';
import type { ListedEvents } from '../market/listed-events.ts';
import type { Facilitator } from '../wire/facilitator.ts';
import type { WorldSocket } from '../wire/world-socket.ts';
import type { Faults } from './faults.ts';
import { type Overrides, steeringOf } from './overrides.ts';
import type { Verb, VerbBody } from './verb-schemas.ts';

/** The thing to change does not exist, or cannot be changed in this way. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

const FIRST_MANUAL_EVENT = 900_001;
/** How long after posting the posts API lets a post be edited. */
const EDITABLE_MS = 30 * MINUTE_MS;

export interface ActionOptions {
  readonly now: () => number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
  readonly timeline: Timeline;
  readonly listedEvents: ListedEvents;
  readonly faults: Faults;
  readonly facilitator: Facilitator;
  readonly sockets: { readonly book: WorldSocket; readonly crypto: WorldSocket };
}

/** What each verb does, by its name on the wire. */
export function createActions(options: ActionOptions) {
  const { now, accounts, overrides, timeline, listedEvents, faults, facilitator, sockets } = options;

  /** `fromAt` is the first instant whose posts or syncs are no longer as they were. */
  function changed(fromAt?: number): void {
    overrides.revision++;
    if (fromAt !== undefined) overrides.changedFrom.push(fromAt);
    sockets.book.pump();
  }

  function eventOf(reference: string | number): WorldEvent {
    const found =
      typeof reference === 'number'
        ? listedEvents.byId(reference, now())
        : listedEvents.bySlug(reference, now());
    if (found === undefined) throw new ControlError(`no event ${reference} is listed`);
    return found;
  }

  function known(account: WorldAccountId): WorldAccountId {
    const ids = accounts.map(({ id }) => id);
    if (!ids.includes(account))
      throw new ControlError(`no account ${account}, expected one of ${ids.join(', ')}`);
    return account;
  }

  function chosen(account: WorldAccountId | undefined): readonly WorldAccountId[] {
    return account === undefined ? accounts.map(({ id }) => id) : [known(account)];
  }

  /** The oldest instant whose posts may still wait for a sync. */
  function heldFrom(ids: readonly WorldAccountId[]): number {
    const open = ids
      .flatMap((id) => steeringOf(overrides, id).stalls)
      .filter((stall) => stall.untilAt >= now());
    return Math.min(now(), ...open.map((stall) => stall.fromAt));
  }

  /** A self reply without a parent continues this post. */
  function newestPostId(account: WorldAccountId): string | null {
    for (const entry of timeline.newestFirst(account, now())) return entry.post.id;
    return null;
  }

  return {
    post({ account, kind, text, createdAt = now(), parentId }) {
      known(account);
      const id = snowflake(createdAt, account, 'steered', overrides.posts.length);
      const shownAt = Math.max(createdAt, now());
      const parent = kind === 'selfReply' ? (parentId ?? newestPostId(account)) : null;
      overrides.posts.push({ id, account, kind, createdAt, shownAt, text: text ?? null, parentId: parent });
      changed(createdAt);
      return { id, createdAt };
    },
    'delete-post'({ id }) {
      const entry = timeline.find(id, now());
      if (entry === undefined) throw new ControlError(`no post ${id} can be read`);
      overrides.deletions.set(entry.post.id, now());
      changed(entry.post.createdAt);
    },
    'edit-post'({ id, text }) {
      const entry = timeline.find(id, now());
      if (entry === undefined) throw new ControlError(`no post ${id} can be read`);
      if (now() - entry.post.createdAt > EDITABLE_MS)
        throw new ControlError(`the post ${id} is older than 30 minutes`);
      const editedId = snowflake(now(), entry.post.id, 'edited');
      overrides.edits.set(entry.post.id, { account: entry.post.account.id, id: editedId, at: now(), text });
      changed(entry.post.createdAt);
      return { id: editedId };
    },
    'change-kind'({ id, kind }) {
      const entry = timeline.find(id, now());
      if (entry === undefined) throw new ControlError(`no post ${id} can be read`);
      overrides.kinds.set(entry.post.id, kind);
      changed(entry.post.createdAt);
    },
    'stall-oracle'({ account }) {
      for (const id of chosen(account))
        steeringOf(overrides, id).stalls.push({ fromAt: now(), untilAt: Number.POSITIVE_INFINITY });
      changed(now());
    },
    'resume-oracle'({ account }) {
      const fromAt = heldFrom(chosen(account));
      for (const id of chosen(account)) {
        const { stalls, syncs } = steeringOf(overrides, id);
        for (const stall of stalls) stall.untilAt = Math.min(stall.untilAt, now());
        syncs.push(now());
      }
      changed(fromAt);
    },
    'sync-oracle'({ account }) {
      for (const id of chosen(account)) steeringOf(overrides, id).syncs.push(now());
      changed(heldFrom(chosen(account)));
    },
    'set-oracle-total'({ event, total }) {
      const { id } = eventOf(event);
      if (total === null) overrides.oracleTotals.delete(id);
      else overrides.oracleTotals.set(id, { value: total, at: now() });
      changed();
    },
    'set-ui-count'({ event, count }) {
      const { id } = eventOf(event);
      if (count === undefined) overrides.uiCounts.delete(id);
      else overrides.uiCounts.set(id, count);
      changed();
    },
    'drop-socket': ({ socket }) => sockets[socket].drop(),
    'freeze-socket': ({ socket, answersPings }) => sockets[socket].silence(answersPings ? 'data' : 'all'),
    'thaw-socket': ({ socket }) => sockets[socket].silence('none'),
    'send-frame': ({ socket, text }) => sockets[socket].say(text),
    'set-price'({ token, price }) {
      const place = listedEvents.byToken(token, now());
      if (place === undefined) throw new ControlError(`no market has the token ${token}`);
      const yes = place.market.tokens[0];
      if (price === null) overrides.prices.delete(yes);
      else overrides.prices.set(yes, place.outcome === 0 ? price : 1 - price);
      changed();
    },
    'move-window'({ event, startAt, endAt }) {
      const { id } = eventOf(event);
      if (startAt === undefined || endAt === undefined) overrides.windows.delete(id);
      else if (startAt >= endAt)
        throw new ControlError(`a window must end after it starts, found ${startAt} to ${endAt}`);
      else overrides.windows.set(id, { startAt, endAt });
      changed();
    },
    'set-buckets'({ event, bucketWidth, bucketCount }) {
      const { id, subject } = eventOf(event);
      if (subject.type !== 'posts') throw new ControlError(`the event ${event} counts no posts`);
      if (bucketWidth === undefined) overrides.buckets.delete(id);
      else overrides.buckets.set(id, { bucketWidth, bucketCount });
      changed();
    },
    'close-event'({ event, winner }) {
      const { id, markets } = eventOf(event);
      const titles = markets.length === 1 ? ['Up', 'Down'] : markets.map((market) => market.title);
      if (winner !== undefined && !titles.includes(winner)) {
        throw new ControlError(`the winner ${winner} is none of ${titles.join(', ')}`);
      }
      overrides.reopened.delete(id);
      overrides.closures.set(id, { value: winner ?? null, at: now() });
      changed();
    },
    'reopen-event'({ event }) {
      const { id } = eventOf(event);
      overrides.closures.delete(id);
      overrides.reopened.add(id);
      changed();
    },
    'add-event'({ slug = null, title = null, ...event }) {
      known(event.account);
      if (event.startAt >= event.endAt) throw new ControlError('a window must end after it starts');
      const id = FIRST_MANUAL_EVENT + overrides.events.length;
      overrides.events.push({ ...event, id, slug, title, listedAt: now() });
      changed();
      return { id, slug: eventOf(id).slug };
    },
    'steer-facilitator': (behaviour) => facilitator.steer(behaviour),
    fault({ status, ...rule }) {
      faults.add({ ...rule, status: status ?? (rule.kind === 'html' ? 200 : 500) });
    },
    'clear-faults': ({ role }) => faults.clear(role),
  } satisfies { readonly [V in Verb]: (body: VerbBody<V>) => unknown };
}
