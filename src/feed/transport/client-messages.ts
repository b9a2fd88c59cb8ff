import type { z } from 'zod';
import { CLOSE_CODES, clientMessage } from '../../contract/feed.ts';
import type { Latest } from '../../views/latest.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { FeedError, type Subscriptions } from '../delivery/subscriptions.ts';
import type { FrameLog } from '../log/frame-log.ts';
import {
  authenticatedText,
  errorText,
  pongText,
  subscribedText,
  tierTexts,
  tooOldTexts,
  unsubscribedText,
} from './control-frames.ts';
import type { WebSocketConnection } from './websocket-connection.ts';

type ClientMessage = z.output<typeof clientMessage>;
type Message<Op extends ClientMessage['op']> = Extract<ClientMessage, { readonly op: Op }>;

/** A client that sends more malformed messages is closed. */
const MAX_MALFORMED = 5;

export interface ClientMessagesDeps {
  readonly latest: Latest;
  readonly log: FrameLog;
  readonly delivery: Delivery;
  readonly subscriptions: Subscriptions;
  /** UTC ms. */
  readonly now: () => number;
}

/** Handles a message, or answers with an error. `useKey` closes the connection and returns false for a bad key. */
export function handleMessage(
  deps: ClientMessagesDeps,
  connection: WebSocketConnection,
  text: string,
  useKey: (key: string) => boolean,
): void {
  const message = parseMessage(text);
  if (typeof message === 'string') {
    connection.malformedMessages += 1;
    if (connection.malformedMessages > MAX_MALFORMED) {
      connection.closeWithError(CLOSE_CODES.policy, 'message_malformed', message);
    } else connection.send(errorText(undefined, 'message_malformed', message));
    return;
  }
  switch (message.op) {
    case 'auth':
      authenticate(connection, message, useKey);
      return;
    case 'subscribe':
      answeringErrors(connection, message, () => subscribe(deps, connection, message));
      return;
    case 'unsubscribe':
      answeringErrors(connection, message, () => unsubscribe(deps, connection, message));
      return;
    case 'ping':
      connection.send(pongText(message.id, deps.now(), deps.latest.at));
  }
}

/** The message, or a sentence about what is wrong with it. */
function parseMessage(text: string): ClientMessage | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'The message is not JSON';
  }
  const parsed = clientMessage.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `The message is not understood: ${issue?.path.join('.') || 'message'}: ${issue?.message ?? ''}`;
}

function authenticate(
  connection: WebSocketConnection,
  { id, key }: Message<'auth'>,
  useKey: (key: string) => boolean,
): void {
  if (connection.hasSubscribed || connection.keyId !== null) {
    connection.send(errorText(id, 'auth_late', 'A key is sent once, before the first subscription'));
    return;
  }
  if (useKey(key)) connection.send(authenticatedText(id, connection.tier));
}

function answeringErrors(connection: WebSocketConnection, { id }: ClientMessage, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.code !== 'tier_too_low') {
      connection.send(errorText(id, error.code, error.message));
      return;
    }
    // One error for each refused topic, so that the client can come back for the others.
    for (const text of tierTexts(id, error.topics)) connection.send(text);
    connection.close(CLOSE_CODES.tier, error.code);
  }
}

function subscribe(
  { subscriptions, delivery, log }: ClientMessagesDeps,
  connection: WebSocketConnection,
  { id, channels, resume }: Message<'subscribe'>,
): void {
  const { reader, tier } = connection;
  const requests = subscriptions.find(channels, tier, resume);
  connection.hasSubscribed = true;
  const subscribed = requests.map((request) => subscriptions.subscribe(reader, request));
  connection.send(subscribedText(id, log.epoch, subscribed));
  for (const text of tooOldTexts(id, subscribed)) connection.send(text);
  delivery.catchUp(reader);
}

function unsubscribe(
  { subscriptions }: ClientMessagesDeps,
  connection: WebSocketConnection,
  { id, channels }: Message<'unsubscribe'>,
): void {
  const { reader, tier } = connection;
  const topics = subscriptions.find(channels, tier).map(({ topic }) => topic);
  for (const topic of topics) subscriptions.unsubscribe(reader, topic);
  connection.send(unsubscribedText(id, topics));
}
