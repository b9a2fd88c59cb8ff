import * as z from 'zod';
import { clientMessage } from '../feed/client-message.ts';
import {
  authenticatedFrame,
  errorFrame,
  FEED_RECORDS,
  goodbyeFrame,
  heartbeatFrame,
  pongFrame,
  snapshotFrame,
  subscribedFrame,
  unsubscribedFrame,
  updateFrame,
} from '../feed/server-frames.ts';

/** One type of message of the feed. */
interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: z.ZodType;
}

const SUMMARIES: Readonly<Record<z.output<typeof clientMessage>['op'], string>> = {
  auth: 'Sends a key, for browsers, which cannot send headers; before the first subscription',
  subscribe: 'Subscribes to channels, each from now or from a cursor',
  unsubscribe: 'Unsubscribes from channels',
  ping: 'Checks whether the service is there',
};

const fromClient: readonly Message[] = clientMessage.options.map((payload) => {
  const name = payload.shape.op.value;
  return { name, summary: SUMMARIES[name], payload };
});

const fromChannels: readonly Message[] = Object.entries(FEED_RECORDS).flatMap(([channel, record]) => {
  const named = { channel: z.literal(channel) };
  return [
    {
      name: `${channel}Snapshot`,
      summary: `All records of ${channel}`,
      payload: snapshotFrame.extend({ ...named, data: z.array(record) }),
    },
    {
      name: `${channel}Update`,
      summary: `A record of ${channel} changed`,
      payload: updateFrame.extend({ ...named, data: record.nullable() }),
    },
  ];
});

const replies: readonly Message[] = [
  { name: 'heartbeat', summary: 'One second of the pipeline passed', payload: heartbeatFrame },
  { name: 'subscribed', summary: 'The channels that are now subscribed', payload: subscribedFrame },
  { name: 'unsubscribed', summary: 'The channels that are no longer subscribed', payload: unsubscribedFrame },
  { name: 'authenticated', summary: 'The tier of the key', payload: authenticatedFrame },
  { name: 'pong', summary: 'The service is there', payload: pongFrame },
  { name: 'error', summary: 'A message cannot be carried out', payload: errorFrame },
  { name: 'goodbye', summary: 'The service is stopping', payload: goodbyeFrame },
];

/** All messages of the feed, in both directions. */
export const MESSAGES: readonly Message[] = [...fromClient, ...fromChannels, ...replies];
