import { z } from 'zod';
import {
  authenticatedFrame,
  CHANNEL_NAMES,
  type ChannelName,
  clientMessage,
  errorFrame,
  FEED_RECORDS,
  goodbyeFrame,
  heartbeatFrame,
  pongFrame,
  snapshotFrame,
  subscribedFrame,
  unsubscribedFrame,
  updateFrame,
} from '../feed.ts';

/** One kind of thing that is said over the feed. */
export interface Message {
  readonly name: string;
  readonly from: 'client' | 'server';
  readonly summary: string;
  readonly payload: z.ZodType;
}

const ASKED: Readonly<Record<z.output<typeof clientMessage>['op'], string>> = {
  auth: 'A key, of a browser that cannot send headers; before the first subscription',
  subscribe: 'Wants channels, each from now or from where the reader was',
  unsubscribe: 'Wants channels no longer',
  ping: 'Whether the service is there',
};

const fromClient: readonly Message[] = clientMessage.options.map((payload) => {
  const name = payload.shape.op.value;
  return { name, from: 'client', summary: ASKED[name], payload };
});

const dataChannels = CHANNEL_NAMES.filter(
  (name): name is Exclude<ChannelName, 'heartbeat'> => name !== 'heartbeat',
);

const data: readonly Message[] = dataChannels.flatMap((channel): readonly Message[] => {
  const record = FEED_RECORDS[channel];
  const named = { channel: z.literal(channel) };
  return [
    {
      name: `${channel}Snapshot`,
      from: 'server',
      summary: `Everything there is on ${channel}`,
      payload: snapshotFrame.extend({ ...named, data: z.array(record) }),
    },
    {
      name: `${channel}Update`,
      from: 'server',
      summary: `A record of ${channel} changed`,
      payload: updateFrame.extend({ ...named, data: record.nullable() }),
    },
  ];
});

const replies: readonly Message[] = [
  {
    name: 'heartbeat',
    from: 'server',
    summary: 'One second of the pipeline passed',
    payload: heartbeatFrame,
  },
  { name: 'subscribed', from: 'server', summary: 'The channels that are sent now', payload: subscribedFrame },
  {
    name: 'unsubscribed',
    from: 'server',
    summary: 'The channels that are no longer sent',
    payload: unsubscribedFrame,
  },
  { name: 'authenticated', from: 'server', summary: 'The tier of the key', payload: authenticatedFrame },
  { name: 'pong', from: 'server', summary: 'The service is there', payload: pongFrame },
  { name: 'error', from: 'server', summary: 'Something asked for cannot be', payload: errorFrame },
  { name: 'goodbye', from: 'server', summary: 'The service stops', payload: goodbyeFrame },
];

/** Everything that is said over the feed, in both directions. */
export const MESSAGES: readonly Message[] = [...fromClient, ...data, ...replies];
