import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Gate } from '../../access/gate.ts';
import { includes } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed/names.ts';
import { RequestError } from '../../errors.ts';
import { countClosed, type FeedCounters } from '../figures.ts';
import { type ClientMessagesDeps, handleMessage } from './client-messages.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { goodbyeText } from './control-frames.ts';
import { WebSocketReader } from './websocket-reader.ts';

export interface ConnectionTimes {
  /** A connection has to subscribe to something within this time. */
  readonly subscribeMs: number;
  readonly pingMs: number;
  /** How often a key is checked again. */
  readonly checkKeyMs: number;
  /** How often all connections are checked. */
  readonly sweepMs: number;
  /** How long a peer may take to close. */
  readonly closeMs: number;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  subscribeMs: 5_000,
  pingMs: 20_000,
  checkKeyMs: 30_000,
  sweepMs: 1_000,
  closeMs: 2_000,
};

const MAX_MISSED_PONGS = 2;
/** Connections that are handled before other work of the process gets its turn. */
const SLICE = 250;

interface WebSocketsDeps extends ClientMessagesDeps {
  readonly gate: Gate;
  readonly connectionLimits: ConnectionLimits;
  readonly counters: FeedCounters;
  /** Ms that never go back. */
  readonly mono: () => number;
  readonly times: ConnectionTimes;
  /** Receives every error that no reader caused. */
  readonly report: (error: unknown) => void;
}

interface WebSockets {
  /** Accepts a connection that was counted for its address. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, address: string): void;
  unsentBytes(): number;
  /** Sends all readers a goodbye, and resolves when they are gone. */
  close(): Promise<void>;
}

export function createWebSockets(deps: WebSocketsDeps): WebSockets {
  const { gate, connectionLimits, counters, mono, times, subscriptions, report } = deps;
  const readers = new Map<WebSocket, WebSocketReader>();
  // A constant of its own, as the types of the library lack `closeTimeout`.
  const options = {
    noServer: true,
    clientTracking: false,
    // Compression takes memory for each socket, and frames are shared by many.
    perMessageDeflate: false,
    // The library would answer each ping, whatever is unsent.
    autoPong: false,
    maxPayload: 4 * 1_024,
    maxFragments: 8,
    maxBufferedChunks: 64,
    closeTimeout: times.closeMs,
  };
  const server = new WebSocketServer(options);

  function onOpen(ws: WebSocket, req: IncomingMessage, address: string): void {
    const reader = new WebSocketReader(ws, req, address, counters, mono());
    readers.set(ws, reader);
    ws.on('error', ignoreError).on('close', onClose);
    ws.on('message', onMessage).on('ping', onPing).on('pong', onPong);
    identify(reader);
  }

  // These listeners are shared by all sockets; `this` is the socket of the event.

  function onPing(this: WebSocket, data: Buffer): void {
    const reader = readers.get(this);
    if (reader !== undefined && countMessage(reader)) reader.answerPing(data);
  }

  function onPong(this: WebSocket): void {
    const reader = readers.get(this);
    if (reader === undefined || (!reader.isPongDue && !countMessage(reader))) return;
    reader.isPongDue = false;
    // It may send pongs without having read anything.
    if (reader.status !== 'slow') reader.missedPongs = 0;
  }

  function onClose(this: WebSocket, code: number): void {
    const reader = readers.get(this);
    if (reader === undefined) return;
    const { keyId } = reader;
    if (reader.status !== 'closed') countClosed(counters, code);
    reader.status = 'closed';
    readers.delete(this);
    subscriptions.unsubscribeAll(reader);
    if (keyId !== null) connectionLimits.releaseKey(keyId);
  }

  function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    const reader = readers.get(this);
    if (reader === undefined || !countMessage(reader)) return;
    const text = isBinary ? '' : String(data);
    if (reader.mustHold) reader.hold(text, (held) => handle(reader, held));
    else handle(reader, text);
  }

  /** Counts a message or control frame of the client; returns false when there are too many, or it was closed before. */
  function countMessage(reader: WebSocketReader): boolean {
    if (reader.status === 'closed') return false;
    if (reader.takeToken(mono())) return true;
    reader.closeWithError(CLOSE_CODES.tooMany, 'too_many_messages', 'Too many messages');
    return false;
  }

  /** Closes the connection that something fails for, which is our fault, and no other. */
  function attempt(reader: WebSocketReader, act: () => void): void {
    try {
      act();
    } catch (error) {
      report(error);
      reader.closeWithError(CLOSE_CODES.internal, 'internal', 'Internal Server Error');
    }
  }

  function handle(reader: WebSocketReader, text: string): void {
    attempt(reader, () =>
      handleMessage(deps, reader, text, (key) => {
        reader.headers['x-api-key'] = key;
        return identify(reader);
      }),
    );
  }

  /** Whether the key is good and not used by too many connections; closes the connection if not. */
  function identify(reader: WebSocketReader): boolean {
    try {
      const { tier, keyId } = gate.identify({ access: 'tiered', isCounted: false }, reader);
      reader.tier = tier;
      if (keyId === null || keyId === reader.keyId) return true;
      if (!connectionLimits.useKey(keyId)) {
        const detail = 'Too many connections use this key already';
        reader.closeWithError(CLOSE_CODES.tooMany, 'too_many_feeds', detail);
        return false;
      }
      reader.useKey(keyId);
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      reader.closeWithError(CLOSE_CODES.badKey, error.code, error.message);
      return false;
    }
  }

  function check(reader: WebSocketReader, nowMs: number): void {
    if (!reader.hasSubscribed && nowMs - reader.openedAt > times.subscribeMs) {
      const detail = 'Nothing was subscribed to in time';
      reader.closeWithError(CLOSE_CODES.policy, 'subscribe_missing', detail);
    }
    if (nowMs - reader.pingedAt >= times.pingMs) {
      reader.pingedAt = nowMs;
      ping(reader);
    }
    if (nowMs - reader.keyCheckedAt >= times.checkKeyMs) {
      reader.keyCheckedAt = nowMs;
      checkKey(reader);
    }
  }

  function checkKey(reader: WebSocketReader): void {
    const { keyId } = reader;
    if (keyId === null || reader.status === 'closed' || !identify(reader)) return;
    for (const { state, audience } of reader.subscriptions.values()) {
      const { name, tier } = state.topic.channel;
      if (includes(reader.tier, tier) && includes(reader.tier, audience.tier)) continue;
      const detail = `The tier of this key no longer includes the channel ${name} as it was subscribed to`;
      reader.closeWithError(CLOSE_CODES.tier, 'tier_too_low', detail);
    }
  }

  /** In slices, as connections that opened together are also due for a ping together. */
  async function checkAll(): Promise<void> {
    let checked = 0;
    isChecking = true;
    for (const reader of readers.values()) {
      attempt(reader, () => check(reader, mono()));
      checked += 1;
      if (checked % SLICE === 0) await nextTurn();
    }
    isChecking = false;
  }

  let isChecking = false;
  const sweep = setInterval(() => {
    if (!isChecking) void checkAll();
  }, times.sweepMs);
  sweep.unref();

  return {
    accept(req, socket, head, address) {
      if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
      server.handleUpgrade(req, socket, head, (ws) => onOpen(ws, req, address));
    },

    unsentBytes() {
      let bytes = 0;
      for (const reader of readers.values()) bytes += reader.unsentBytes();
      return bytes;
    },

    async close() {
      clearInterval(sweep);
      const all = [...readers.values()];
      const gone = all.map(({ ws }) => new Promise((resolve) => ws.once('close', resolve)));
      const goodbye = goodbyeText(deps.now());
      for (const [index, reader] of all.entries()) {
        reader.send(goodbye);
        reader.close(CLOSE_CODES.goodbye, 'goodbye');
        if (index % SLICE === SLICE - 1) await nextTurn();
      }
      const deadline = setTimeout(() => {
        for (const ws of readers.keys()) ws.terminate();
      }, times.closeMs);
      await Promise.all(gone);
      clearTimeout(deadline);
    },
  };
}

function ping(reader: WebSocketReader): void {
  const { ws } = reader;
  if (reader.missedPongs >= MAX_MISSED_PONGS) ws.terminate();
  else if (ws.readyState === ws.OPEN) {
    reader.missedPongs += 1;
    reader.isPongDue = true;
    ws.ping();
  }
}

/** The library closes the connection after an error of the peer. */
function ignoreError(): void {}

/** Answers a request for an upgrade that is not granted, and ends the reader. */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n');
  // Destroyed once flushed, so that a peer that keeps sending cannot hold the socket half open.
  socket.end(head + body, () => socket.destroy());
}
