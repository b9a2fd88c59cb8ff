import { type ReconnectOptions, reconnectDelay } from './backoff.ts';
import type { FeedSocket, FeedSocketClass } from './socket.ts';

/** To come back after so long is a new loss, not a further try after the old one. */
const SETTLED_MS = 5_000;
const HANDSHAKE_MS = 10_000;
/** After an error a close follows, except of some sockets that never opened: those of Node 22. */
const CLOSE_FOLLOWS_MS = 100;

export interface Loss {
  readonly wasOpen: boolean;
  /** Of the close, when the other side said one. */
  readonly code: number | undefined;
  readonly reason: string;
}

export interface LinkDeps {
  readonly url: string;
  readonly load: () => Promise<FeedSocketClass>;
  readonly reconnect: ReconnectOptions;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Ms on a clock that never steps. */
  readonly now: () => number;
  readonly onConnecting: () => void;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Returns whether another try is worth it, which is then made after so long. */
  readonly onLost: (loss: Loss, retryInMs: number) => boolean;
}

/** One socket that is opened again whenever it is lost, until it is closed. */
export interface Link {
  /** Whether what is sent goes anywhere. */
  readonly isOpen: boolean;
  open(): void;
  send(text: string): void;
  /** Gives the present socket up for a new one. */
  renew(reason: string): void;
  close(): void;
}

export function createLink(deps: LinkDeps): Link {
  let socket: FeedSocket | undefined;
  let isOpen = false;
  let isWanted = false;
  let openedAt = 0;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function wait(ms: number, then: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  }

  function drop(): void {
    clearTimeout(timer);
    isOpen = false;
    if (socket === undefined) return;
    const dropped = socket;
    socket = undefined;
    dropped.onopen = null;
    dropped.onmessage = null;
    dropped.onclose = null;
    // One that was still connecting tells of its end as of an error, which needs a listener.
    dropped.onerror = () => undefined;
    if (dropped.terminate) dropped.terminate();
    else dropped.close();
  }

  function lose(loss: Omit<Loss, 'wasOpen'>): void {
    const wasOpen = isOpen;
    if (wasOpen && deps.now() - openedAt >= SETTLED_MS) attempt = 0;
    drop();
    const retryInMs = reconnectDelay(deps.reconnect, attempt++, deps.random());
    if (deps.onLost({ wasOpen, ...loss }, retryInMs)) wait(retryInMs, connect);
    else isWanted = false;
  }

  function connect(): void {
    deps.onConnecting();
    wait(HANDSHAKE_MS, () => lose({ code: undefined, reason: 'no handshake in time' }));
    deps.load().then(
      (Socket) => {
        if (isWanted && socket === undefined) attach(new Socket(deps.url));
      },
      (error: unknown) => lose({ code: undefined, reason: String(error) }),
    );
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
      lose({ code, reason });
    made.onerror = () => wait(CLOSE_FOLLOWS_MS, () => lose({ code: undefined, reason: 'an error' }));
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
    renew: (reason) => lose({ code: undefined, reason }),
    close() {
      isWanted = false;
      drop();
    },
  };
}
