import type * as z from 'zod';
import { clientMessage } from '../../contract/feed/client-message.ts';
import { CLOSE_CODES } from '../../contract/feed/names.ts';
import type { Latest } from '../../views/latest.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { FeedError, type Subscriptions } from '../delivery/subscriptions.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import {
  authenticatedText,
  errorText,
  pongText,
  subscribedText,
  tierTexts,
  tooOldTexts,
  unsubscribedText,
} from './control-frames.ts';
import type { WebSocketReader } from './websocket-reader.ts';

type ClientMessage = z.output<typeof clientMessage>;
type Message<Op extends ClientMessage['op']> = Extract<ClientMessage, { readonly op: Op }>;

/** A client that sends more malformed messages is closed. */
const MAX_MALFORMED = 5;

export interface ClientMessagesDeps {
  readonly latest: Latest;
  readonly log: PublishedFrames;
  readonly delivery: Delivery;
  readonly subscriptions: Subscriptions;
  /** UTC ms. */
  readonly now: () => number;
}

/** Handles a message, or answers with an error. `useKey` closes the connection and returns false for a bad key. */
export function handleMessage(
  deps: ClientMessagesDeps,
  reader: WebSocketReader,
  text: string,
  useKey: (key: string) => boolean,
): void {
  const message = parseMessage(text);
  if (typeof message === 'string') {
    reader.malformedMessages += 1;
    if (reader.malformedMessages > MAX_MALFORMED) {
      reader.closeWithError(CLOSE_CODES.policy, 'message_malformed', message);
    } else reader.send(errorText(undefined, 'message_malformed', message));
    return;
  }
  switch (message.op) {
    case 'auth':
      authenticate(reader, message, useKey);
      return;
    case 'subscribe':
      answeringErrors(reader, message, () => subscribe(deps, reader, message));
      return;
    case 'unsubscribe':
      answeringErrors(reader, message, () => unsubscribe(deps, reader, message));
      return;
    case 'ping':
      reader.send(pongText(message.id, deps.now(), deps.latest.at));
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
  reader: WebSocketReader,
  { id, key }: Message<'auth'>,
  useKey: (key: string) => boolean,
): void {
  if (reader.hasSubscribed || reader.keyId !== null) {
    reader.send(errorText(id, 'auth_late', 'A key is sent once, before the first subscription'));
    return;
  }
  if (useKey(key)) reader.send(authenticatedText(id, reader.tier));
}

function answeringErrors(reader: WebSocketReader, { id }: ClientMessage, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.code !== 'tier_too_low') {
      reader.send(errorText(id, error.code, error.message));
      return;
    }
    // Each topic by name, so that the client can come back for the others.
    for (const text of tierTexts(id, error.topics)) reader.send(text);
    reader.close(CLOSE_CODES.tier, error.code);
  }
}

function subscribe(
  { subscriptions, delivery, log }: ClientMessagesDeps,
  reader: WebSocketReader,
  { id, channels, resume }: Message<'subscribe'>,
): void {
  const { tier } = reader;
  const requests = subscriptions.find(channels, tier, resume);
  reader.hasSubscribed = true;
  const subscribed = requests.map((request) => subscriptions.subscribe(reader, request));
  reader.send(subscribedText(id, log.epoch, subscribed));
  for (const text of tooOldTexts(id, subscribed)) reader.send(text);
  delivery.catchUp(reader);
}

function unsubscribe(
  { subscriptions }: ClientMessagesDeps,
  reader: WebSocketReader,
  { id, channels }: Message<'unsubscribe'>,
): void {
  const { tier } = reader;
  const topics = subscriptions.find(channels, tier).map(({ topic }) => topic);
  for (const topic of topics) subscriptions.unsubscribe(reader, topic);
  reader.send(unsubscribedText(id, topics));
}
