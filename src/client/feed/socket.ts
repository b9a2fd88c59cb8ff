/** What is used of a WebSocket: that of a browser, of Node and of the package `ws` alike. */
export interface FeedSocket {
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  send(text: string): void;
  close(): void;
  /** Of `ws` alone: ends it without a word to the other side. */
  terminate?(): void;
}

export type FeedSocketClass = new (url: string) => FeedSocket;
