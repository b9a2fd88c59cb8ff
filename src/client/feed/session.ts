import { interval, type Observable, Subject, type Subscription } from 'rxjs';
import { TallywireError } from '../error.ts';
import type { ChannelRequest, DataFrame, HeartbeatFrame, ServerFrame } from '../wire.ts';
import { RECONNECT, type ReconnectOptions } from './backoff.ts';
import { createConnectionStatus, type DownReason, type FeedStatus } from './connection-status.ts';
import type { FeedEvent } from './feed-event.ts';
import { createFrameRouter } from './frame-router.ts';
import { createLiveness } from './liveness.ts';
import { createOutbox } from './outbox.ts';
import { createReconnectingSocket, type Loss } from './reconnecting-socket.ts';
import type { FeedSocketClass } from './socket.ts';
import { createSubscriptions } from './subscriptions.ts';
import { type Topic, topicName } from './topic.ts';

const CHECK_EVERY_MS = 200;
/** Close codes for an unknown key, and for a key whose tier is too low. */
const BAD_KEY = 4001;
const LOW_TIER = 4003;
const HEARTBEAT = 'heartbeat';

export interface SessionOptions {
  readonly reconnect?: ReconnectOptions | undefined;
  /**
   * After a longer absence every channel except `tweets` starts again with a snapshot. Without it all missed frames
   * of up to 24 h are replayed, which may be many.
   */
  readonly replayWithinMs?: number | undefined;
  /**
   * Which accounts heartbeats list: all, or while only one account is followed that one alone, which is less to read where
   * there are many. All by default.
   */
  readonly heartbeatOf?: 'all' | 'followed' | undefined;
  /** Numbers in [0, 1), for the waits between attempts. */
  readonly random?: (() => number) | undefined;
}

export interface SessionDeps extends SessionOptions {
  /** Address of the feed's WebSocket. */
  readonly url: string;
  readonly key: string | undefined;
  readonly loadSocket: () => Promise<FeedSocketClass>;
}

/** The exchange of messages with the server, across lost connections. */
interface Session {
  readonly status$: Observable<FeedStatus>;
  readonly event$: Observable<FeedEvent>;
  /** A new stream after the last one failed. */
  heartbeat$(): Observable<HeartbeatFrame>;
  add(topic: Topic): void;
  remove(topic: Topic): void;
  start(): void;
  stop(reason: DownReason): void;
}

export function createSession(deps: SessionDeps): Session {
  const { url, key, loadSocket, random = Math.random, reconnect = RECONNECT } = deps;
  const now = () => performance.now();
  const event$ = new Subject<FeedEvent>();
  const status = createConnectionStatus();
  let heartbeat$ = new Subject<HeartbeatFrame>();
  let liveness = createLiveness(now());
  let refusal: TallywireError | undefined;
  let checks: Subscription | undefined;
  let heartbeatRequest: ChannelRequest | undefined;

  const socket = createReconnectingSocket({
    url,
    loadSocket,
    reconnect,
    random,
    now,
    onConnecting: status.setPending,
    onOpen,
    onText,
    onLost,
  });
  const outbox = createOutbox((text) => socket.send(text), now);
  const subscriptions = createSubscriptions({
    outbox,
    isConnected: () => socket.isOpen,
    onRequested() {
      requestHeartbeat();
      checkLiveness();
    },
  });
  const router = createFrameRouter(subscriptions, (event) => event$.next(event));

  function onOpen(): void {
    refusal = undefined;
    liveness = createLiveness(now());
    outbox.clear();
    if (key !== undefined) outbox.auth(key);
    heartbeatRequest = undefined;
    requestHeartbeat();
    subscriptions.requestAll();
  }

  /** Requests the heartbeat that fits what is followed, unless it comes already. */
  function requestHeartbeat(): void {
    if (!socket.isOpen) return;
    const account = deps.heartbeatOf === 'followed' ? subscriptions.onlyAccount() : undefined;
    if (heartbeatRequest !== undefined && heartbeatRequest.account === account) return;
    if (heartbeatRequest !== undefined) outbox.unsubscribe([heartbeatRequest]);
    heartbeatRequest = { channel: HEARTBEAT, ...(account === undefined ? {} : { account }) };
    outbox.subscribe(new Map([[HEARTBEAT, heartbeatRequest]]));
  }

  function onLost({ wasOpen, code }: Loss, retryInMs: number): boolean {
    outbox.clear();
    subscriptions.onDisconnected();
    if (code === BAD_KEY) failAll(refusal ?? refusedWith('key_invalid', 'the server does not know the key'));
    // Topics above the tier of the key have failed already; the others continue.
    const isUnused = subscriptions.isEmpty && !heartbeat$.observed;
    const isFinal = code === BAD_KEY || (code === LOW_TIER && isUnused);
    const reason = isFinal ? 'refused' : wasOpen ? 'lost' : 'unreachable';
    status.set({ state: 'down', reason, code, retryInMs: isFinal ? undefined : retryInMs });
    return !isFinal;
  }

  function onText(text: string): void {
    const frame = parseFrame(text);
    if (frame === undefined) {
      event$.next({ type: 'error', code: 'not_json', detail: 'a message of the server is no JSON object' });
      socket.replace('the server does not use the protocol of the feed');
      return;
    }
    switch (frame.type) {
      case 'update':
      case 'snapshot':
        liveness.onData(now());
        router.onData(frame as DataFrame);
        break;
      case 'heartbeat':
        liveness.onHeartbeat(frame, now());
        router.onHeartbeat(frame);
        heartbeat$.next(frame);
        checkLiveness();
        break;
      case 'pong':
        outbox.onReply(frame.id);
        liveness.onPong(frame, now());
        break;
      case 'subscribed':
        outbox.onReply(frame.id);
        router.onSubscribed(frame);
        break;
      case 'unsubscribed':
      case 'authenticated':
        outbox.onReply(frame.id);
        break;
      case 'error':
        onError(frame);
        break;
      case 'goodbye':
        event$.next({ type: 'goodbye', reason: frame.reason });
    }
    if (status.current.state !== 'live') checkLiveness();
  }

  function onError(frame: Extract<ServerFrame, { readonly type: 'error' }>): void {
    const { id, code, detail, channel, account = null } = frame;
    const topic = channel === undefined ? undefined : topicName(channel, account);
    if (code === 'cursor_too_old' && topic !== undefined) {
      event$.next({ type: 'cursor_too_old', topic, oldestSeq: frame.oldest_seq });
      return;
    }
    event$.next({ type: 'error', code, detail });
    refusal = refusedWith(code, detail);
    const names = outbox.onReply(id).filter((name) => name !== HEARTBEAT);
    subscriptions.onRefused(names, topic, refusal);
  }

  function failAll(error: TallywireError): void {
    const failed$ = heartbeat$;
    heartbeat$ = new Subject();
    failed$.error(error);
    subscriptions.failAll(error);
  }

  function checkLiveness(): void {
    if (!socket.isOpen) return;
    const { stale, isPingDue, shouldReplaceSocket } = liveness.check(now());
    if (isPingDue) outbox.ping();
    if (shouldReplaceSocket) socket.replace('the connection is silent');
    else if (stale !== undefined) status.set({ state: 'stale', ...stale });
    else if (subscriptions.areAllCurrent()) status.set({ state: 'live' });
    else status.setPending();
  }

  return {
    status$: status.status$,
    event$,
    heartbeat$: () => heartbeat$,
    add: subscriptions.add,
    remove: subscriptions.remove,
    start() {
      status.reset();
      checks ??= interval(CHECK_EVERY_MS).subscribe(checkLiveness);
      socket.open();
    },
    stop(reason) {
      checks?.unsubscribe();
      checks = undefined;
      socket.close();
      outbox.clear();
      if (reason === 'closed') heartbeat$.complete();
      // A refusal stays visible when the last follower leaves.
      if (reason === 'closed' || status.current.state !== 'down') status.set({ state: 'down', reason });
    },
  };
}

function parseFrame(text: string): ServerFrame | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    // The server's tests hold its frames against the schemas of these types; unknown types are ignored.
    return typeof frame === 'object' && frame !== null ? (frame as ServerFrame) : undefined;
  } catch {
    return undefined;
  }
}

/** A refusal over the socket, which has no HTTP status. */
function refusedWith(code: string, detail: string): TallywireError {
  return new TallywireError({ status: 0, code, detail });
}
