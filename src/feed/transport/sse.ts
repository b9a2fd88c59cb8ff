import type { IncomingMessage, ServerResponse } from 'node:http';
import { CHALLENGE, type Gate } from '../../access/gate.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import { CHANNEL_NAMES, type ChannelName, CLOSE_CODES } from '../../contract/feed.ts';
import { feedQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { RequestError } from '../../errors.ts';
import { API_HEADERS } from '../../server/headers.ts';
import { createReader, type Pipe, type Reader, type Reading } from '../delivery/delivery.ts';
import { type ChannelRequest, FeedError, type Subscriptions } from '../delivery/subscriptions.ts';
import type { FrameLog } from '../log/frame-log.ts';
import { type Admission, tooMany } from './admission.ts';
import { cursorOf, parseCursor } from './cursor.ts';
import { errorText, goodbyeText, subscribedText, tooOldTexts } from './replies.ts';
import { SOCKET_TIMES, type SocketTimes } from './sockets.ts';

const HEADERS = {
  ...API_HEADERS,
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** When a browser comes back after the stream ended, ms. */
const RETRY_MS = 2_000;
/** How often all are looked at: something is written lest proxies think them dead, and keys are looked up. */
const SWEEP_MS = 15_000;
/** Slow at so many looks in a row, a reader is gone. */
const MAX_SLOW_LOOKS = 4;

export interface SseDeps {
  readonly gate: Gate;
  readonly admission: Admission;
  readonly log: FrameLog;
  readonly reading: Reading;
  readonly subscriptions: Subscriptions;
  readonly now: () => number;
  readonly times?: SocketTimes;
  /** Told with the code a socket would have been closed with. */
  readonly closed: (code: number) => void;
}

export interface EventStreams {
  /** Answers with a stream, or throws a RequestError. */
  open(req: IncomingMessage, res: ServerResponse): void;
  unsentBytes(): number;
  /** Says goodbye to all. */
  close(): void;
}

interface Stream {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly reader: Reader;
  readonly tier: Tier;
  slowLooks: number;
}

/** Server-sent events: one way only, told in the address what is wanted, each with a cursor over all of it. */
export function createEventStreams(deps: SseDeps): EventStreams {
  const { gate, admission, log, reading, subscriptions, times = SOCKET_TIMES, closed } = deps;
  const streams = new Set<Stream>();
  const door = { access: 'tiered', isCounted: false } as const;

  function pipeTo(res: ServerResponse, readerOf: () => Reader): Pipe {
    return {
      unsentBytes: () => res.writableLength,
      write({ texts, seqs }, subscription) {
        let events = '';
        for (const [index, text] of texts.entries()) {
          if (subscription) subscription.sentSeq = seqs[index] ?? subscription.sentSeq;
          events += `id: ${cursorOf(log.epoch, readerOf())}\ndata: ${text}\n\n`;
        }
        res.write(events);
      },
      hold: () => res.cork(),
      release: () => res.uncork(),
      onceSent: (listener) => void res.once('drain', listener),
      dropSlow: () =>
        end(res, readerOf(), CLOSE_CODES.tooSlow, errorText(undefined, 'too_slow', 'The reader is too slow')),
    };
  }

  /** Says why, and lets him go: once all is sent, or soon if he does not even read that. */
  function end(res: ServerResponse, reader: Reader, code: number, text: string): void {
    if (reader.isClosed) return;
    reader.isClosed = true;
    closed(code);
    res.end(`data: ${text}\n\n`);
    setTimeout(() => res.destroy(), times.closeMs).unref();
  }

  /** Ends a stream whose key is no longer what it was. */
  function checkKey({ req, res, reader, tier }: Stream): void {
    try {
      if (includes(gate.identify(door, req).tier, tier)) return;
      const text = errorText(undefined, 'tier_too_low', 'The key has another tier now');
      end(res, reader, CLOSE_CODES.tier, text);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      end(res, reader, CLOSE_CODES.badKey, errorText(undefined, error.code, error.message));
    }
  }

  function look(stream: Stream): void {
    const { res, reader } = stream;
    if (reader.isClosed) return;
    stream.slowLooks = reader.isSlow ? stream.slowLooks + 1 : 0;
    if (stream.slowLooks >= MAX_SLOW_LOOKS) res.destroy();
    else if (!reader.isSlow) res.write(':\n\n');
    checkKey(stream);
  }

  const sweep = setInterval(
    () => {
      for (const stream of streams) look(stream);
    },
    Math.min(SWEEP_MS, times.checkKeyMs),
  );
  sweep.unref();

  return {
    open(req, res) {
      const { tier, keyId } = gate.identify(door, req);
      const { channels, ...wishes } = readQuery(feedQuery, queryOf(req));
      const wants = asRequest(() => subscriptions.find(requestsOf(channels, wishes), tier));
      if (keyId !== null && !admission.useKey(keyId)) {
        throw tooMany('Too many connections use this key already', 10);
      }
      const reader: Reader = createReader(pipeTo(res, () => reader));
      const stream = { req, res, reader, tier, slowLooks: 0 };
      streams.add(stream);
      res.on('error', () => undefined);
      res.on('close', () => {
        if (!reader.isClosed) closed(1000);
        reader.isClosed = true;
        streams.delete(stream);
        subscriptions.endAll(reader);
        if (keyId !== null) admission.leaveKey(keyId);
      });
      res.writeHead(200, HEADERS);
      const known = parseCursor(String(req.headers['last-event-id'] ?? ''));
      const begun = wants.map((want) =>
        subscriptions.begin(reader, { ...want, resume: known.get(want.topic.name) }, tier),
      );
      const texts = [subscribedText(undefined, log.epoch, begun), ...tooOldTexts(undefined, begun)];
      res.write(`retry: ${RETRY_MS}\n${texts.map((text) => `data: ${text}\n\n`).join('')}`);
      reading.catchUp(reader);
    },

    unsentBytes: () => [...streams].reduce((sum, { res }) => sum + res.writableLength, 0),

    close() {
      clearInterval(sweep);
      const goodbye = goodbyeText(deps.now());
      for (const { res, reader } of streams) end(res, reader, CLOSE_CODES.goodbye, goodbye);
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

/** `counters/account_a,tweets` */
function requestsOf(
  channels: string,
  wishes: Pick<ChannelRequest, 'bankroll' | 'include_unproven'>,
): readonly ChannelRequest[] {
  return channels.split(',').map((name) => {
    const [channel = '', account] = name.trim().split('/', 2);
    if (!isChannel(channel)) {
      throw new RequestError(400, 'channel_unknown', `There is no channel ${JSON.stringify(channel)}`);
    }
    return { channel, ...(account === undefined ? {} : { account }), ...wishes };
  });
}

/** What a reader of a socket is told in a frame, the caller of a stream is answered. */
function asRequest<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.code === 'tier_too_low') throw new RequestError(401, 'tier_too_low', error.message, CHALLENGE);
    throw new RequestError(400, 'account_unknown', error.message);
  }
}
