import { interval, type Observable, Subject, type Subscription } from 'rxjs';
import { TallywireError } from '../error.ts';
import type { DataFrame, HeartbeatFrame, ServerFrame } from '../wire.ts';
import { RECONNECT, type ReconnectOptions } from './backoff.ts';
import { createStanding } from './connection-status.ts';
import { createReception } from './frame-router.ts';
import { createPulse } from './liveness.ts';
import { createOutbox } from './outbox.ts';
import { createLink, type Loss } from './reconnecting-socket.ts';
import type { FeedSocketClass } from './socket.ts';
import type { DownReason, FeedEvent, FeedStatus } from './status.ts';
import { createWishes } from './subscriptions.ts';
import { nameOf, type Topic } from './topic.ts';

/** How often it is looked whether all is well. */
const LOOK_MS = 200;
/** The close codes of a key that is not known, and of one whose tier does not do. */
const BAD_KEY = 4001;
const LOW_TIER = 4003;
const HEARTBEAT = 'heartbeat';

export interface ConversationOptions {
  readonly reconnect?: ReconnectOptions | undefined;
  /**
   * After a longer absence channels begin anew with a snapshot, but for `tweets`. Unless given every frame missed
   * is told, of 24 h at most, which may be many: for those who want to know how things are now.
   */
  readonly replayWithinMs?: number | undefined;
  /** Longest silence of a source that is not news, by role (`posts`) or name (`posts/account_a`). */
  readonly sourceLimitsMs?: Readonly<Record<string, number>> | undefined;
  /** Numbers in [0, 1), for the waits between tries. */
  readonly random?: (() => number) | undefined;
}

export interface ConversationDeps extends ConversationOptions {
  /** Of the socket. */
  readonly url: string;
  readonly key: string | undefined;
  readonly load: () => Promise<FeedSocketClass>;
}

/** All that is said between a reader and the server, over one socket after the other. */
export interface Conversation {
  readonly status$: Observable<FeedStatus>;
  readonly event$: Observable<FeedEvent>;
  /** Another one after it failed. */
  heartbeat$(): Observable<HeartbeatFrame>;
  add(topic: Topic): void;
  remove(topic: Topic): void;
  start(): void;
  stop(reason: DownReason): void;
}

export function createConversation(deps: ConversationDeps): Conversation {
  const { key, load, random = Math.random, reconnect = RECONNECT } = deps;
  const now = () => performance.now();
  const event$ = new Subject<FeedEvent>();
  const standing = createStanding();
  let heartbeat$ = new Subject<HeartbeatFrame>();
  let pulse = createPulse(now());
  let refusal: TallywireError | undefined;
  let watch: Subscription | undefined;

  const link = createLink({
    url: deps.url,
    load,
    reconnect,
    random,
    now,
    onConnecting: standing.begin,
    onOpen: greet,
    onText: hear,
    onLost: lose,
  });
  const outbox = createOutbox((text) => link.send(text), now);
  const wishes = createWishes({ outbox, isOpen: () => link.isOpen, asked: look });
  const reception = createReception(wishes, (event) => event$.next(event));

  function greet(): void {
    refusal = undefined;
    pulse = createPulse(now(), deps.sourceLimitsMs);
    outbox.clear();
    if (key !== undefined) outbox.auth(key);
    outbox.subscribe(new Map([[HEARTBEAT, { channel: HEARTBEAT }]]));
    wishes.askAll();
  }

  function lose({ wasOpen, code }: Loss, retryInMs: number): boolean {
    outbox.clear();
    wishes.forgetAll();
    if (code === BAD_KEY) failAll(refusal ?? refused('key_invalid', 'the server does not know the key'));
    // Those whose tier does not do were told so, and the others go on.
    const isNobodyLeft = wishes.isEmpty && !heartbeat$.observed;
    const isOver = code === BAD_KEY || (code === LOW_TIER && isNobodyLeft);
    const reason = isOver ? 'refused' : wasOpen ? 'lost' : 'unreachable';
    standing.show({ state: 'down', reason, code, retryInMs: isOver ? undefined : retryInMs });
    return !isOver;
  }

  function hear(text: string): void {
    const frame = parsed(text);
    if (frame === undefined) {
      event$.next({ type: 'error', code: 'not_json', detail: 'what came is not JSON' });
      link.renew('it does not speak the protocol');
      return;
    }
    switch (frame.type) {
      case 'update':
      case 'snapshot':
        pulse.data(now());
        reception.data(frame as DataFrame);
        break;
      case 'heartbeat':
        takeHeartbeat(frame);
        break;
      case 'pong':
        outbox.answered(frame.id);
        pulse.pong(frame, now());
        break;
      case 'subscribed':
        outbox.answered(frame.id);
        reception.begun(frame);
        break;
      case 'unsubscribed':
      case 'authenticated':
        outbox.answered(frame.id);
        break;
      case 'error':
        takeError(frame);
        break;
      case 'goodbye':
        event$.next({ type: 'goodbye', reason: frame.reason });
    }
    if (standing.now.state !== 'live') look();
  }

  function takeHeartbeat(frame: HeartbeatFrame): void {
    pulse.heartbeat(frame, now());
    reception.counted(frame);
    heartbeat$.next(frame);
    look();
  }

  function takeError({ id, code, detail, ...at }: Extract<ServerFrame, { readonly type: 'error' }>): void {
    if (code === 'cursor_too_old' && at.channel !== undefined) {
      const topic = nameOf(at.channel, at.account ?? null);
      event$.next({ type: 'cursor_too_old', topic, oldestSeq: at.oldest_seq });
      return;
    }
    event$.next({ type: 'error', code, detail });
    refusal = refused(code, detail);
    const names = outbox.answered(id).filter((name) => name !== HEARTBEAT);
    const blamed = at.channel === undefined ? undefined : nameOf(at.channel, at.account ?? null);
    wishes.refuse(names, blamed, refusal);
  }

  function failAll(error: TallywireError): void {
    const failed$ = heartbeat$;
    heartbeat$ = new Subject();
    failed$.error(error);
    wishes.failAll(error);
  }

  function look(): void {
    if (!link.isOpen) return;
    const { stale, isPingDue, isGivenUp } = pulse.look(now());
    if (isPingDue) outbox.ping();
    if (isGivenUp) link.renew('nothing comes');
    else if (stale !== undefined) standing.show({ state: 'stale', ...stale });
    else if (wishes.areCurrent()) standing.show({ state: 'live' });
    else standing.begin();
  }

  return {
    status$: standing.status$,
    event$,
    heartbeat$: () => heartbeat$,
    add: wishes.add,
    remove: wishes.remove,
    start() {
      standing.anew();
      watch ??= interval(LOOK_MS).subscribe(look);
      link.open();
    },
    stop(reason) {
      watch?.unsubscribe();
      watch = undefined;
      link.close();
      outbox.clear();
      if (reason === 'closed') heartbeat$.complete();
      // Who was refused is still refused.
      if (reason === 'closed' || standing.now.state !== 'down') standing.show({ state: 'down', reason });
    },
  };
}

function parsed(text: string): ServerFrame | undefined {
  try {
    // What the server sends is tested against the schemas these types are of; what is unknown is left alone.
    return JSON.parse(text) as ServerFrame;
  } catch {
    return undefined;
  }
}

/** The server said so over the socket, where there is no status. */
function refused(code: string, detail: string): TallywireError {
  return new TallywireError({ status: 0, code, detail });
}
