import type { z } from 'zod';
import { CLOSE_CODES, clientMessage } from '../../contract/feed.ts';
import type { Latest } from '../../views/latest.ts';
import type { Reading } from '../delivery/delivery.ts';
import { FeedError, type Subscriptions } from '../delivery/subscriptions.ts';
import type { FrameLog } from '../log/frame-log.ts';
import type { Connection } from './connection.ts';
import {
  authenticatedText,
  errorText,
  pongText,
  subscribedText,
  tierTexts,
  tooOldTexts,
  unsubscribedText,
} from './replies.ts';

export type ClientMessage = z.output<typeof clientMessage>;
type Message<Op extends ClientMessage['op']> = Extract<ClientMessage, { readonly op: Op }>;

/** So many malformed messages are a mistake, more are none. */
const MAX_FAULTS = 5;

export interface ProtocolDeps {
  readonly latest: Latest;
  readonly log: FrameLog;
  readonly reading: Reading;
  readonly subscriptions: Subscriptions;
  /** UTC ms. */
  readonly now: () => number;
}

/** Does what a message asks for, or answers why not. `useKey` says whether the key was taken, and closes if not. */
export function obey(
  deps: ProtocolDeps,
  connection: Connection,
  text: string,
  useKey: (key: string) => boolean,
): void {
  const message = read(text);
  if (typeof message === 'string') {
    connection.faults += 1;
    if (connection.faults > MAX_FAULTS) {
      connection.refuse(CLOSE_CODES.policy, 'message_malformed', message);
    } else connection.say(errorText(undefined, 'message_malformed', message));
    return;
  }
  switch (message.op) {
    case 'auth':
      authenticate(connection, message, useKey);
      return;
    case 'subscribe':
      attempt(connection, message, () => subscribe(deps, connection, message));
      return;
    case 'unsubscribe':
      attempt(connection, message, () => unsubscribe(deps, connection, message));
      return;
    case 'ping':
      connection.say(pongText(message.id, deps.now(), deps.latest.at));
  }
}

/** The message, or what is wrong with it. */
function read(text: string): ClientMessage | string {
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
  connection: Connection,
  { id, key }: Message<'auth'>,
  useKey: (key: string) => boolean,
): void {
  if (connection.hasSubscribed || connection.keyId !== null) {
    connection.say(errorText(id, 'auth_late', 'A key is sent once, before the first subscription'));
    return;
  }
  if (useKey(key)) connection.say(authenticatedText(id, connection.tier));
}

function attempt(connection: Connection, { id }: ClientMessage, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.code !== 'tier_too_low') {
      connection.say(errorText(id, error.code, error.message));
      return;
    }
    // Each by name: who comes back asks for the others alone.
    for (const text of tierTexts(id, error.topics)) connection.say(text);
    connection.end(CLOSE_CODES.tier, error.code);
  }
}

function subscribe(deps: ProtocolDeps, connection: Connection, message: Message<'subscribe'>): void {
  const { subscriptions, reading, log } = deps;
  const { id, channels, resume } = message;
  const { reader, tier } = connection;
  const wants = subscriptions.find(channels, tier, resume);
  connection.hasSubscribed = true;
  const begun = wants.map((want) => subscriptions.begin(reader, want, tier));
  connection.say(subscribedText(id, log.epoch, begun));
  for (const text of tooOldTexts(id, begun)) connection.say(text);
  reading.catchUp(reader);
}

function unsubscribe(
  { subscriptions }: ProtocolDeps,
  connection: Connection,
  { id, channels }: Message<'unsubscribe'>,
): void {
  const { reader, tier } = connection;
  const topics = subscriptions.find(channels, tier).map(({ topic }) => topic);
  for (const topic of topics) subscriptions.end(reader, topic);
  connection.say(unsubscribedText(id, topics));
}
