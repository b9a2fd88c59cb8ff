/** What both doors show. */

export type { Client, ClientOptions } from './client.ts';
export { TallywireError } from './error.ts';
export { byKey } from './feed/by-key.ts';
export type { FollowOptions, SignalsOptions } from './feed/channels.ts';
export type { Feed } from './feed/feed.ts';
export { type IterateOptions, iterate } from './feed/iterate.ts';
export { type Holding, keyOf } from './feed/record-map.ts';
export type { ConversationOptions as FeedOptions } from './feed/session.ts';
export type { FeedSocket, FeedSocketClass } from './feed/socket.ts';
export type { FeedEvent, FeedStatus } from './feed/status.ts';
export type { CallOptions, RetryOptions } from './http.ts';
export type { Quota } from './quota.ts';
export type { Rest } from './rest.ts';
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
