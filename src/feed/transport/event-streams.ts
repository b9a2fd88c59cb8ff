import type { IncomingMessage, ServerResponse } from 'node:http';
import { CHALLENGE, type Gate } from '../../access/gate.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import { CHANNEL_NAMES, type ChannelName, CLOSE_CODES } from '../../contract/feed/names.ts';
import { feedQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { RequestError } from '../../errors.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { FrameBatch } from '../delivery/frame-batch.ts';
import { Reader, type Subscription } from '../delivery/reader.ts';
import { type ChannelRequest, FeedError, type Subscriptions } from '../delivery/subscriptions.ts';
import { countClosed, type FeedCounters } from '../figures.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import { type ConnectionLimits, keyCaller, tooManyFeeds } from './connection-limits.ts';
import { errorText, goodbyeText, subscribedText, tooOldTexts } from './control-frames.ts';
import { eventIds, parseEventId } from './event-id.ts';
import { hasRoomFor } from './room.ts';
import type { ConnectionTimes } from './websockets.ts';

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** Ms after which a browser reconnects when the stream has ended. */
const RETRY_MS = 2_000;
/** How often all streams are checked, and a comment is written so that proxies keep them open. */
const SWEEP_MS = 15_000;
/** A reader that is slow at this many checks in a row is disconnected. */
const MAX_SLOW_CHECKS = 4;
const ENDPOINT = { access: 'tiered', isCounted: false } as const;

interface EventStreamsDeps {
  readonly gate: Gate;
  readonly connectionLimits: ConnectionLimits;
  readonly counters: FeedCounters;
  readonly log: PublishedFrames;
  readonly delivery: Delivery;
  readonly subscriptions: Subscriptions;
  /** UTC ms. */
  readonly now: () => number;
  readonly times: ConnectionTimes;
  readonly headers: Readonly<Record<string, string>>;
  /** Receives every error that no reader caused. */
  readonly report: (error: unknown) => void;
}

interface EventStreams {
  /** Answers with a stream. Throws a RequestError when the request is refused. */
  open(req: IncomingMessage, res: ServerResponse, address: string): void;
  unsentBytes(): number;
  /** Sends all readers a goodbye. */
  close(): void;
}

/** A reader over server-sent events, each with a cursor over all its topics as id. */
class EventStreamReader extends Reader {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly tier: Tier;
  readonly caller: string;
  readonly hasKey: boolean;
  slowChecks = 0;
  readonly #deps: EventStreamsDeps;

  constructor(
    deps: EventStreamsDeps,
    req: IncomingMessage,
    res: ServerResponse,
    { tier, caller, hasKey }: Pick<EventStreamReader, 'tier' | 'caller' | 'hasKey'>,
  ) {
    super();
    this.#deps = deps;
    this.req = req;
    this.res = res;
    this.tier = tier;
    this.caller = caller;
    this.hasKey = hasKey;
  }

  override unsentBytes(): number {
    return this.res.writableLength;
  }

  override takenBytes(): number {
    const { socket } = this.res;
    return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
  }

  override write({ texts, seqs }: FrameBatch, subscription: Subscription | undefined): boolean {
    const idAt = eventIds(this.#deps.log.epoch, this, subscription);
    let events = '';
    for (const [index, text] of texts.entries()) events += `id: ${idAt(seqs[index])}\ndata: ${text}\n\n`;
    if (!hasRoomFor(this.res, Buffer.byteLength(events))) return false;
    this.res.write(events);
    return true;
  }

  override cork(): void {
    this.res.cork();
  }

  override uncork(): void {
    this.res.uncork();
  }

  override onceDrained(listener: () => void): void {
    // The socket tells of every drain, a response only of those after a write of its own that was too much.
    (this.res.socket ?? this.res).once('drain', () => {
      this.slowChecks = 0;
      listener();
    });
  }

  override closeTooSlow(): void {
    this.close(CLOSE_CODES.tooSlow, errorText(undefined, 'too_slow', 'The reader is too slow'));
  }

  /** Sends a last frame and ends the stream, by force if the reader does not read it soon. */
  close(code: number, text: string): void {
    if (this.status === 'closed') return;
    this.status = 'closed';
    countClosed(this.#deps.counters, code);
    this.res.end(`data: ${text}\n\n`);
    setTimeout(() => this.res.destroy(), this.#deps.times.closeMs).unref();
  }
}

export function createEventStreams(deps: EventStreamsDeps): EventStreams {
  const { gate, connectionLimits, counters, log, delivery, subscriptions, times, report } = deps;
  const readers = new Set<EventStreamReader>();

  /** Ends a stream whose key is no longer what it was. */
  function checkKey(reader: EventStreamReader): void {
    try {
      if (includes(gate.identify(ENDPOINT, reader.req).tier, reader.tier)) return;
      reader.close(CLOSE_CODES.tier, errorText(undefined, 'tier_too_low', 'The key has another tier now'));
    } catch (error) {
      if (error instanceof RequestError) {
        reader.close(CLOSE_CODES.badKey, errorText(undefined, error.code, error.message));
        return;
      }
      // It is our fault, and the others are checked all the same.
      report(error);
      reader.close(CLOSE_CODES.internal, errorText(undefined, 'internal', 'Internal Server Error'));
    }
  }

  function check(reader: EventStreamReader): void {
    const { res } = reader;
    if (reader.status === 'closed') return;
    reader.slowChecks = reader.status === 'slow' ? reader.slowChecks + 1 : 0;
    if (reader.slowChecks >= MAX_SLOW_CHECKS) res.destroy();
    else if (reader.status === 'ready') res.write(':\n\n');
    checkKey(reader);
  }

  const sweep = setInterval(
    () => {
      for (const reader of readers) check(reader);
    },
    Math.min(SWEEP_MS, times.checkKeyMs),
  );
  sweep.unref();

  return {
    open(req, res, address) {
      const { tier, keyId } = gate.identify(ENDPOINT, req);
      const { channels, ...options } = readQuery(feedQuery, queryOf(req));
      const requests = asRequestErrors(() => subscriptions.find(channelRequests(channels, options), tier));
      checkFitsId(requests.length);
      if (keyId !== null && !connectionLimits.useKey(keyId)) {
        throw tooManyFeeds('Too many connections use this key already', 10);
      }
      const reader = new EventStreamReader(deps, req, res, {
        tier,
        caller: keyId === null ? address : keyCaller(keyId),
        hasKey: keyId !== null,
      });
      readers.add(reader);
      res.on('error', () => undefined);
      res.on('close', () => {
        if (reader.status !== 'closed') countClosed(counters, 1000);
        reader.status = 'closed';
        readers.delete(reader);
        subscriptions.unsubscribeAll(reader);
        if (keyId !== null) connectionLimits.releaseKey(keyId);
      });
      res.writeHead(200, { ...deps.headers, ...STREAM_HEADERS });
      const cursors = parseEventId(String(req.headers['last-event-id'] ?? ''));
      const subscribed = requests.map((request) =>
        subscriptions.subscribe(reader, { ...request, resume: cursors.get(request.topic.name) }),
      );
      const texts = [subscribedText(undefined, log.epoch, subscribed), ...tooOldTexts(undefined, subscribed)];
      res.write(`retry: ${RETRY_MS}\n${texts.map((text) => `data: ${text}\n\n`).join('')}`);
      delivery.catchUp(reader);
    },

    unsentBytes: () => Array.from(readers).reduce((sum, reader) => sum + reader.unsentBytes(), 0),

    close() {
      clearInterval(sweep);
      const goodbye = goodbyeText(deps.now());
      for (const reader of readers) reader.close(CLOSE_CODES.goodbye, goodbye);
    },
  };
}

function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

function isChannel(name: string): name is ChannelName {
  return CHANNEL_NAMES.some((known) => known === name);
}

/** `channels` is a list such as `counters/account_a,tweets`. */
function channelRequests(
  channels: string,
  options: Pick<ChannelRequest, 'bankroll' | 'include_unproven'>,
): readonly ChannelRequest[] {
  return channels.split(',').map((name) => {
    const [channel = '', account] = name.trim().split('/', 2);
    if (!isChannel(channel)) {
      throw new RequestError(400, 'channel_unknown', `There is no channel ${JSON.stringify(channel)}`);
    }
    return { channel, ...(account === undefined ? {} : { account }), ...options };
  });
}

/** The id of an event names the place in every topic, and has to fit into a header when the reader comes back. */
const MOST_TOPICS = 300;

function checkFitsId(topics: number): void {
  if (topics <= MOST_TOPICS) return;
  throw new RequestError(
    400,
    'too_many_channels',
    `This would be ${topics} channels, counting each account's own; a stream has at most ${MOST_TOPICS}. ` +
      'Name accounts, as in counters/account_a, or use the WebSocket, which has no such limit',
  );
}

/** Turns a FeedError, which a WebSocket gets as a frame, into an HTTP error. */
function asRequestErrors<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.code === 'tier_too_low') throw new RequestError(401, 'tier_too_low', error.message, CHALLENGE);
    throw new RequestError(400, 'account_unknown', error.message);
  }
}
