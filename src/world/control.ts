import { ACCOUNTS, type WorldAccountId } from './accounts.ts';
import type { BookSocket, Silence } from './book-socket.ts';
import type { Catalog } from './catalog.ts';
import { VERBS, type Verb, type VerbBody, type VerbInput } from './control-verbs.ts';
import type { CryptoSocket } from './crypto-socket.ts';
import type { WorldEvent } from './event.ts';
import type { Faults } from './faults.ts';
import { snowflake } from './snowflake.ts';
import type { Steering } from './steering.ts';
import type { Timeline } from './timeline.ts';

/** Something to be steered is not there, or cannot be steered so. */
export class ControlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ControlError';
  }
}

/** Steers the world. Every verb acts at once: the next answer of any role already shows it. */
export interface WorldControl {
  post(input: VerbInput<'post'>): { readonly id: string; readonly createdAt: number };
  deletePost(input: VerbInput<'delete-post'>): void;
  editPost(input: VerbInput<'edit-post'>): { readonly id: string };
  stallOracle(input?: VerbInput<'stall-oracle'>): void;
  /** Ends the stall; the oracle syncs at once. */
  resumeOracle(input?: VerbInput<'resume-oracle'>): void;
  syncOracle(input?: VerbInput<'sync-oracle'>): void;
  setOracleTotal(input: VerbInput<'set-oracle-total'>): void;
  setUiCount(input: VerbInput<'set-ui-count'>): void;
  dropSocket(input: VerbInput<'drop-socket'>): void;
  freezeSocket(input: VerbInput<'freeze-socket'>): void;
  thawSocket(input: VerbInput<'thaw-socket'>): void;
  setPrice(input: VerbInput<'set-price'>): void;
  moveWindow(input: VerbInput<'move-window'>): void;
  closeEvent(input: VerbInput<'close-event'>): void;
  reopenEvent(input: VerbInput<'reopen-event'>): void;
  addEvent(input: VerbInput<'add-event'>): { readonly id: number; readonly slug: string };
  fault(input: VerbInput<'fault'>): void;
  clearFaults(input?: VerbInput<'clear-faults'>): void;
  /** Runs a verb by its name on the wire. The body is checked: a ZodError or a ControlError says what is wrong. */
  run(verb: string, body: unknown): unknown;
  state(): Readonly<Record<string, unknown>>;
}

const FIRST_STEERED_EVENT = 900_001;
/** How long after posting the posts API lets a post be edited. */
const EDITABLE_MS = 30 * 60_000;

export function createControl(options: {
  readonly now: () => number;
  readonly steering: Steering;
  readonly timeline: Timeline;
  readonly catalog: Catalog;
  readonly faults: Faults;
  readonly sockets: { readonly book: BookSocket; readonly crypto: CryptoSocket };
}): WorldControl {
  const { now, steering, timeline, catalog, faults, sockets } = options;

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

  function silence(socket: 'book' | 'crypto', mode: Silence): void {
    sockets[socket].silence(mode);
  }

  const verbs: { readonly [V in Verb]: (body: VerbBody<V>) => unknown } = {
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
    fault({ status, ...rule }) {
      faults.add({ ...rule, status: status ?? (rule.kind === 'html' ? 200 : 500) });
    },
    'clear-faults': ({ role }) => faults.clear(role),
  };

  function ownPost(account: WorldAccountId): string | null {
    for (const entry of timeline.newestFirst(account, now())) return entry.post.id;
    return null;
  }

  function run<V extends Verb>(verb: V, input: VerbInput<V>): unknown {
    // The table and the schemas share their keys; that is more than the compiler can follow.
    const body = VERBS[verb].parse(input) as VerbBody<V>;
    return verbs[verb](body);
  }

  return {
    post: (input) => verbs.post(VERBS.post.parse(input)) as { id: string; createdAt: number },
    deletePost: (input) => void run('delete-post', input),
    editPost: (input) => verbs['edit-post'](VERBS['edit-post'].parse(input)) as { id: string },
    stallOracle: (input = {}) => void run('stall-oracle', input),
    resumeOracle: (input = {}) => void run('resume-oracle', input),
    syncOracle: (input = {}) => void run('sync-oracle', input),
    setOracleTotal: (input) => void run('set-oracle-total', input),
    setUiCount: (input) => void run('set-ui-count', input),
    dropSocket: (input) => void run('drop-socket', input),
    freezeSocket: (input) => void run('freeze-socket', input),
    thawSocket: (input) => void run('thaw-socket', input),
    setPrice: (input) => void run('set-price', input),
    moveWindow: (input) => void run('move-window', input),
    closeEvent: (input) => void run('close-event', input),
    reopenEvent: (input) => void run('reopen-event', input),
    addEvent: (input) => verbs['add-event'](VERBS['add-event'].parse(input)) as { id: number; slug: string },
    fault: (input) => void run('fault', input),
    clearFaults: (input = {}) => void run('clear-faults', input),
    run(verb, body) {
      if (!isVerb(verb))
        throw new ControlError(`no verb ${verb}, expected one of ${Object.keys(VERBS).join(', ')}`);
      return run(verb, body as VerbInput<typeof verb>) ?? null;
    },
    state: () => ({
      now: now(),
      startAt: timeline.startAt,
      revision: steering.revision,
      posts: steering.posts,
      deletions: Object.fromEntries(steering.deletions),
      stalls: steering.stalls,
      oracleTotals: Object.fromEntries(steering.oracleTotals),
      uiCounts: Object.fromEntries(steering.uiCounts),
      windows: Object.fromEntries(steering.windows),
      closures: Object.fromEntries(steering.closures),
      reopened: [...steering.reopened],
      events: steering.events,
      prices: Object.fromEntries(steering.prices),
      faults: faults.list(),
      connections: { book: sockets.book.connections(), crypto: sockets.crypto.connections() },
    }),
  };
}

function isVerb(name: string): name is Verb {
  return Object.hasOwn(VERBS, name);
}
