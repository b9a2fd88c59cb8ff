/** The public names of the client, the same for Node and browsers. */

export type { Client, ClientOptions } from './client.ts';
export { TallywireError } from './error.ts';
export type { ReconnectOptions } from './feed/backoff.ts';
export type { FollowOptions, SignalsOptions } from './feed/channels.ts';
export type { FeedStatus } from './feed/connection-status.ts';
export type { Feed } from './feed/feed.ts';
export type { FeedEvent } from './feed/feed-event.ts';
export { type IterateOptions, iterate } from './feed/iterate.ts';
export { byKey, keyOf, type RecordMap as Holding } from './feed/record-map.ts';
export type { SessionOptions as FeedOptions } from './feed/session.ts';
export type { FeedSocket, FeedSocketClass } from './feed/socket.ts';
export type { CallOptions, RetryOptions } from './http.ts';
export type { Quota } from './quota.ts';
export type { AccountOptions, PastOptions, Rest } from './rest.ts';
export type {
  Answer,
  Cursor,
  DataChannel,
  DataFrame,
  Fault,
  FeedRecord,
  HeartbeatFrame,
  SnapshotFrame,
  UpdateFrame,
  WaitlistRequest,
} from './wire.ts';
