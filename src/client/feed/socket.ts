/** The part of a WebSocket that is used, common to browsers, Node and the package `ws`. */
export interface FeedSocket {
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  send(text: string): void;
  close(): void;
  /** Only of `ws`: ends the socket without a closing handshake. */
  terminate?(): void;
}

export type FeedSocketClass = new (url: string) => FeedSocket;
