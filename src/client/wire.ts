import type * as z from 'zod';
import type { alertBody } from '../contract/alert-rule.ts';
import type { channelRequest, clientMessage } from '../contract/feed/client-message.ts';
import type {
  FEED_RECORDS,
  heartbeatFrame,
  pongFrame,
  serverFrame,
  snapshotFrame,
  updateFrame,
} from '../contract/feed/server-frames.ts';
import type { COMPONENTS } from '../contract/openapi/components.ts';
import type {
  accountQuery,
  deadAlertsQuery,
  historyQuery,
  minutesQuery,
  pastQuery,
  portfolioQuery,
  rebalancingQuery,
  signalsQuery,
  tweetsQuery,
  usageByEndpointQuery,
  usageErrorsQuery,
  usageSummaryQuery,
  waitlistBody,
} from '../contract/params.ts';
import type { RecordOf } from '../contract/record-of.ts';

/** Types of everything on the wire, from the schemas of the contract. Types only: no schema is loaded. */

export type ComponentName = keyof typeof COMPONENTS;
export type Answer<Name extends ComponentName> = RecordOf<(typeof COMPONENTS)[Name]>;
export type Fault = Answer<'Fault'>;

export type AccountQuery = z.input<typeof accountQuery>;
export type PastQuery = z.input<typeof pastQuery>;
export type TweetsQuery = z.input<typeof tweetsQuery>;
export type SignalsQuery = z.input<typeof signalsQuery>;
export type PortfolioQuery = z.input<typeof portfolioQuery>;
export type RebalancingQuery = z.input<typeof rebalancingQuery>;
export type MinutesQuery = z.input<typeof minutesQuery>;
export type HistoryQuery = z.input<typeof historyQuery>;
export type UsageSummaryQuery = z.input<typeof usageSummaryQuery>;
export type UsageByEndpointQuery = z.input<typeof usageByEndpointQuery>;
export type UsageErrorsQuery = z.input<typeof usageErrorsQuery>;
export type DeadAlertsQuery = z.input<typeof deadAlertsQuery>;
export type AlertRuleRequest = z.input<typeof alertBody>;
export type WaitlistRequest = z.input<typeof waitlistBody>;

export type ClientMessage = RecordOf<typeof clientMessage>;
export type ServerFrame = RecordOf<typeof serverFrame>;
export type ChannelRequest = RecordOf<typeof channelRequest>;
export type HeartbeatFrame = RecordOf<typeof heartbeatFrame>;
export type PongFrame = RecordOf<typeof pongFrame>;

/** A channel with records; the heartbeat has none. */
export type DataChannel = keyof typeof FEED_RECORDS;
export type FeedRecord<C extends DataChannel> = RecordOf<(typeof FEED_RECORDS)[C]>;

type FrameOf<C extends DataChannel, Frame, Data> = Omit<Frame, 'channel' | 'data'> & {
  readonly channel: C;
  readonly data: Data;
};
/** One record changed; `data` is null when the record is gone. */
export type UpdateFrame<C extends DataChannel = DataChannel> = FrameOf<
  C,
  RecordOf<typeof updateFrame>,
  FeedRecord<C> | null
>;
/** All records of a channel. */
export type SnapshotFrame<C extends DataChannel = DataChannel> = FrameOf<
  C,
  RecordOf<typeof snapshotFrame>,
  readonly FeedRecord<C>[]
>;
export type DataFrame<C extends DataChannel = DataChannel> = UpdateFrame<C> | SnapshotFrame<C>;

/** A position on a channel: the last frame that was received. */
export interface Cursor {
  readonly epoch: string;
  readonly seq: number;
}
