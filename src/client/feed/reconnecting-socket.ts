import { type ReconnectOptions, reconnectDelay } from './backoff.ts';
import type { FeedSocket, FeedSocketClass } from './socket.ts';

/** A socket that was open for so long was stable: its loss starts a new series of attempts. */
const STABLE_MS = 5_000;
const HANDSHAKE_MS = 10_000;
/** A close follows an error, except for sockets of Node 22 that never opened. */
const CLOSE_FOLLOWS_MS = 100;

export interface Loss {
  readonly wasOpen: boolean;
  /** Close code, when the other side sent one. */
  readonly code: number | undefined;
  readonly reason: string;
}

interface ReconnectingSocketDeps {
  readonly url: string;
  readonly loadSocket: () => Promise<FeedSocketClass>;
  readonly reconnect: ReconnectOptions;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Ms of a monotonic clock. */
  readonly now: () => number;
  readonly onConnecting: () => void;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Returns whether to try again, which then happens after `retryInMs`. */
  readonly onLost: (loss: Loss, retryInMs: number) => boolean;
}

/** One socket that is opened again whenever it is lost, until it is closed. */
interface ReconnectingSocket {
  readonly isOpen: boolean;
  open(): void;
  send(text: string): void;
  /** Replaces the present socket by a new one. */
  replace(reason: string): void;
  close(): void;
}

export function createReconnectingSocket(deps: ReconnectingSocketDeps): ReconnectingSocket {
  let socket: FeedSocket | undefined;
  let isOpen = false;
  let isWanted = false;
  let openedAt = 0;
  let triedAt = 0;
  /** Attempts since the last stable socket, and in all. */
  let attempt = 0;
  let connects = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function after(ms: number, run: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  }

  function drop(endSocket: (dropped: FeedSocket) => void): void {
    clearTimeout(timer);
    isOpen = false;
    if (socket === undefined) return;
    const dropped = socket;
    socket = undefined;
    dropped.onopen = null;
    dropped.onmessage = null;
    dropped.onclose = null;
    // A socket that is still connecting reports its end as an error, which needs a listener.
    dropped.onerror = () => undefined;
    endSocket(dropped);
  }

  function lose(reason: string, code?: number): void {
    const wasOpen = isOpen;
    if (wasOpen && deps.now() - openedAt >= STABLE_MS) attempt = 0;
    drop(endNow);
    const delayMs = reconnectDelay(deps.reconnect, attempt++, deps.random());
    // Time in which nobody answered was a wait already.
    const waitedMs = wasOpen ? 0 : deps.now() - triedAt;
    const retryInMs = Math.max(deps.reconnect.minMs, delayMs - waitedMs);
    if (deps.onLost({ wasOpen, code, reason }, retryInMs)) after(retryInMs, connect);
    else isWanted = false;
  }

  function connect(): void {
    deps.onConnecting();
    triedAt = deps.now();
    after(deps.reconnect.handshakeMs ?? HANDSHAKE_MS, () => lose('no handshake in time'));
    const mine = ++connects;
    const isAwaited = () => isWanted && mine === connects;
    deps
      .loadSocket()
      .then((Socket) => {
        if (isAwaited() && socket === undefined) attach(new Socket(deps.url));
      })
      // The constructor throws too, for example at a port that browsers block.
      .catch((error: unknown) => {
        if (isAwaited()) lose(String(error));
      });
  }

  function attach(made: FeedSocket): void {
    socket = made;
    made.onopen = () => {
      clearTimeout(timer);
      isOpen = true;
      openedAt = deps.now();
      deps.onOpen();
    };
    made.onmessage = ({ data }: { readonly data: unknown }) => {
      if (typeof data === 'string') deps.onText(data);
    };
    made.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      lose(reason, code);
    made.onerror = () => after(CLOSE_FOLLOWS_MS, () => lose('an error'));
  }

  return {
    get isOpen() {
      return isOpen;
    },
    open() {
      if (isWanted) return;
      isWanted = true;
      attempt = 0;
      connect();
    },
    send: (text) => socket?.send(text),
    replace: (reason) => lose(reason),
    close() {
      isWanted = false;
      drop(isOpen ? endNow : endOnceOpen);
    },
  };
}

function endNow(socket: FeedSocket): void {
  if (socket.terminate) socket.terminate();
  else socket.close();
}

/** Ends a socket that is still connecting. To close it before it is open is an error in the console of a browser. */
function endOnceOpen(socket: FeedSocket): void {
  if (socket.terminate) socket.terminate();
  else socket.onopen = () => socket.close();
}
