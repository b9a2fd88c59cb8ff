import { ACCOUNTS, type WorldAccountId } from '../life/accounts.ts';
import { snowflake } from '../life/snowflake.ts';
import type { Timeline } from '../life/timeline.ts';
import type { Catalog } from '../market/catalog.ts';
import type { WorldEvent } from '../market/event.ts';
import type { BookSocket, Silence } from '../wire/book-socket.ts';
import type { CryptoSocket } from '../wire/crypto-socket.ts';
import type { Facilitator } from '../wire/facilitator.ts';
import type { Faults } from './faults.ts';
import type { Steering } from './steering.ts';
import type { Verb, VerbBody } from './verbs.ts';

/** Something to be steered is not there, or cannot be steered so. */
export class ControlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ControlError';
  }
}

const FIRST_STEERED_EVENT = 900_001;
/** How long after posting the posts API lets a post be edited. */
const EDITABLE_MS = 30 * 60_000;

export interface ActOptions {
  readonly now: () => number;
  readonly steering: Steering;
  readonly timeline: Timeline;
  readonly catalog: Catalog;
  readonly faults: Faults;
  readonly facilitator: Facilitator;
  readonly sockets: { readonly book: BookSocket; readonly crypto: CryptoSocket };
}

/** What each verb does, by its name on the wire. */
export function createActs(options: ActOptions) {
  const { now, steering, timeline, catalog, faults, facilitator, sockets } = options;

  /** `fromAt` is the first instant whose posts or syncs are no longer as they were. */
  function changed(fromAt?: number): void {
    steering.revision++;
    if (fromAt !== undefined) steering.touchedAt.push(fromAt);
    sockets.book.pump();
  }

  function eventOf(reference: string | number): WorldEvent {
    const found =
      typeof reference === 'number' ? catalog.byId(reference, now()) : catalog.bySlug(reference, now());
    if (found === undefined) throw new ControlError(`no event ${reference} is listed`);
    return found;
  }

  function accounts(account: WorldAccountId | undefined): readonly WorldAccountId[] {
    return account === undefined ? ACCOUNTS.map(({ id }) => id) : [account];
  }

  /** The oldest instant whose posts may still wait for a sync. */
  function heldFrom(ids: readonly WorldAccountId[]): number {
    const open = ids.flatMap((id) => steering.stalls[id]).filter((stall) => stall.untilAt >= now());
    return Math.min(now(), ...open.map((stall) => stall.fromAt));
  }

  /** What a self reply without a parent continues: the newest post. */
  function ownPost(account: WorldAccountId): string | null {
    for (const entry of timeline.newestFirst(account, now())) return entry.post.id;
    return null;
  }

  function silence(socket: 'book' | 'crypto', mode: Silence): void {
    sockets[socket].silence(mode);
  }

  return {
    post({ account, kind, text, createdAt = now(), parentId }) {
      const id = snowflake(createdAt, account, 'steered', steering.posts.length);
      const shownAt = Math.max(createdAt, now());
      const parent = kind === 'selfReply' ? (parentId ?? ownPost(account)) : null;
      steering.posts.push({ id, account, kind, createdAt, shownAt, text: text ?? null, parentId: parent });
      changed(createdAt);
      return { id, createdAt };
    },
    'delete-post'({ id }) {
      const entry = timeline.find(id, now());
      if (entry === undefined) throw new ControlError(`no post ${id} can be read`);
      steering.deletions.set(entry.post.id, now());
      changed(entry.post.createdAt);
    },
    'edit-post'({ id, text }) {
      const entry = timeline.find(id, now());
      if (entry === undefined) throw new ControlError(`no post ${id} can be read`);
      if (now() - entry.post.createdAt > EDITABLE_MS)
        throw new ControlError(`the post ${id} is older than 30 minutes`);
      const editedId = snowflake(now(), entry.post.id, 'edited');
      steering.edits.set(entry.post.id, { id: editedId, at: now(), text });
      changed(entry.post.createdAt);
      return { id: editedId };
    },
    'stall-oracle'({ account }) {
      for (const id of accounts(account))
        steering.stalls[id].push({ fromAt: now(), untilAt: Number.POSITIVE_INFINITY });
      changed(now());
    },
    'resume-oracle'({ account }) {
      const fromAt = heldFrom(accounts(account));
      for (const id of accounts(account)) {
        for (const stall of steering.stalls[id]) stall.untilAt = Math.min(stall.untilAt, now());
        steering.syncs[id].push(now());
      }
      changed(fromAt);
    },
    'sync-oracle'({ account }) {
      for (const id of accounts(account)) steering.syncs[id].push(now());
      changed(heldFrom(accounts(account)));
    },
    'set-oracle-total'({ event, total }) {
      const { id } = eventOf(event);
      if (total === null) steering.oracleTotals.delete(id);
      else steering.oracleTotals.set(id, { value: total, at: now() });
      changed();
    },
    'set-ui-count'({ event, count }) {
      const { id } = eventOf(event);
      if (count === undefined) steering.uiCounts.delete(id);
      else steering.uiCounts.set(id, count);
      changed();
    },
    'drop-socket': ({ socket }) => sockets[socket].drop(),
    'freeze-socket': ({ socket, answersPings }) => silence(socket, answersPings ? 'data' : 'all'),
    'thaw-socket': ({ socket }) => silence(socket, 'none'),
    'set-price'({ token, price }) {
      const place = catalog.byToken(token, now());
      if (place === undefined) throw new ControlError(`no market has the token ${token}`);
      const yes = place.market.tokens[0];
      if (price === null) steering.prices.delete(yes);
      else steering.prices.set(yes, place.outcome === 0 ? price : 1 - price);
      changed();
    },
    'move-window'({ event, startAt, endAt }) {
      if (startAt >= endAt)
        throw new ControlError(`a window must end after it starts, found ${startAt} to ${endAt}`);
      steering.windows.set(eventOf(event).id, { startAt, endAt });
      changed();
    },
    'close-event'({ event, winner }) {
      const { id, markets } = eventOf(event);
      const titles = markets.length === 1 ? ['Up', 'Down'] : markets.map((market) => market.title);
      if (winner !== undefined && !titles.includes(winner)) {
        throw new ControlError(`the winner ${winner} is none of ${titles.join(', ')}`);
      }
      steering.reopened.delete(id);
      steering.closures.set(id, { value: winner ?? null, at: now() });
      changed();
    },
    'reopen-event'({ event }) {
      const { id } = eventOf(event);
      steering.closures.delete(id);
      steering.reopened.add(id);
      changed();
    },
    'add-event'({ slug = null, title = null, ...event }) {
      if (event.startAt >= event.endAt) throw new ControlError('a window must end after it starts');
      const id = FIRST_STEERED_EVENT + steering.events.length;
      steering.events.push({ ...event, id, slug, title, listedAt: now() });
      changed();
      return { id, slug: eventOf(id).slug };
    },
    'steer-facilitator': (moods) => facilitator.steer(moods),
    fault({ status, ...rule }) {
      faults.add({ ...rule, status: status ?? (rule.kind === 'html' ? 200 : 500) });
    },
    'clear-faults': ({ role }) => faults.clear(role),
  } satisfies { readonly [V in Verb]: (body: VerbBody<V>) => unknown };
}
