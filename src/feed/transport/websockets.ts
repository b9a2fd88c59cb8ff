import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Gate } from '../../access/gate.ts';
import { includes } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed.ts';
import { RequestError } from '../../errors.ts';
import { countClosed, type FeedCounters } from '../figures.ts';
import { type ClientMessagesDeps, handleMessage } from './client-messages.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { goodbyeText } from './control-frames.ts';
import { WebSocketConnection } from './websocket-connection.ts';

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
}

interface WebSockets {
  /** Accepts a connection that was counted for its address. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  unsentBytes(): number;
  /** Sends all readers a goodbye, and resolves when they are gone. */
  close(): Promise<void>;
}

export function createWebSockets(deps: WebSocketsDeps): WebSockets {
  const { gate, connectionLimits, counters, mono, times, subscriptions } = deps;
  const connections = new Map<WebSocket, WebSocketConnection>();
  // A separate constant, as the types of the library lack `closeTimeout`.
  const options = {
    noServer: true,
    clientTracking: false,
    // Compression takes memory for each socket, and frames are shared by many.
    perMessageDeflate: false,
    maxPayload: 4 * 1_024,
    maxFragments: 8,
    maxBufferedChunks: 64,
    closeTimeout: times.closeMs,
  };
  const server = new WebSocketServer(options);

  function onOpen(ws: WebSocket, req: IncomingMessage): void {
    const connection = new WebSocketConnection(ws, req, counters, mono());
    connections.set(ws, connection);
    ws.on('error', ignoreError).on('pong', onPong).on('message', onMessage).on('close', onClose);
    identify(connection);
  }

  // These listeners are shared by all sockets; `this` is the socket of the event.

  function onPong(this: WebSocket): void {
    const connection = connections.get(this);
    if (connection) connection.missedPongs = 0;
  }

  function onClose(this: WebSocket, code: number): void {
    const connection = connections.get(this);
    if (connection === undefined) return;
    const { reader, keyId } = connection;
    if (reader.status !== 'closed') countClosed(counters, code);
    reader.status = 'closed';
    connections.delete(this);
    subscriptions.unsubscribeAll(reader);
    if (keyId !== null) connectionLimits.releaseKey(keyId);
  }

  function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    const connection = connections.get(this);
    if (connection === undefined || connection.reader.status === 'closed') return;
    if (!connection.takeToken(mono())) {
      connection.closeWithError(CLOSE_CODES.tooMany, 'too_many_messages', 'Too many messages');
      return;
    }
    handleMessage(deps, connection, isBinary ? '' : String(data), (key) => {
      connection.headers['x-api-key'] = key;
      return identify(connection);
    });
  }

  /** Closes the connection and returns false when the key is bad or used by too many connections. */
  function identify(connection: WebSocketConnection): boolean {
    try {
      const { tier, keyId } = gate.identify({ access: 'tiered', isCounted: false }, connection);
      connection.tier = tier;
      if (keyId === null || keyId === connection.keyId) return true;
      if (!connectionLimits.useKey(keyId)) {
        const detail = 'Too many connections use this key already';
        connection.closeWithError(CLOSE_CODES.tooMany, 'too_many_feeds', detail);
        return false;
      }
      connection.keyId = keyId;
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      connection.closeWithError(CLOSE_CODES.badKey, error.code, error.message);
      return false;
    }
  }

  function check(connection: WebSocketConnection, nowMs: number): void {
    if (!connection.hasSubscribed && nowMs - connection.openedAt > times.subscribeMs) {
      const detail = 'Nothing was subscribed to in time';
      connection.closeWithError(CLOSE_CODES.policy, 'subscribe_missing', detail);
    }
    if (nowMs - connection.pingedAt >= times.pingMs) {
      connection.pingedAt = nowMs;
      ping(connection);
    }
    if (nowMs - connection.keyCheckedAt >= times.checkKeyMs) {
      connection.keyCheckedAt = nowMs;
      checkKey(connection);
    }
  }

  function checkKey(connection: WebSocketConnection): void {
    const { keyId, reader } = connection;
    if (keyId === null || reader.status === 'closed' || !identify(connection)) return;
    for (const { state, audience } of reader.subscriptions.values()) {
      const { name, tier } = state.topic.channel;
      if (includes(connection.tier, tier) && includes(connection.tier, audience.tier)) continue;
      const detail = `The tier of this key no longer includes the channel ${name} as it was subscribed to`;
      connection.closeWithError(CLOSE_CODES.tier, 'tier_too_low', detail);
    }
  }

  /** In slices, as connections that opened together are also due for a ping together. */
  async function checkAll(): Promise<void> {
    let checked = 0;
    isChecking = true;
    for (const connection of connections.values()) {
      check(connection, mono());
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
    accept(req, socket, head) {
      if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
      server.handleUpgrade(req, socket, head, onOpen);
    },

    unsentBytes() {
      let bytes = 0;
      for (const connection of connections.values()) bytes += connection.unsentBytes();
      return bytes;
    },

    async close() {
      clearInterval(sweep);
      const all = [...connections.values()];
      const gone = all.map(({ ws }) => new Promise((resolve) => ws.once('close', resolve)));
      const goodbye = goodbyeText(deps.now());
      for (const [index, connection] of all.entries()) {
        connection.send(goodbye);
        connection.close(CLOSE_CODES.goodbye, 'goodbye');
        if (index % SLICE === SLICE - 1) await nextTurn();
      }
      const deadline = setTimeout(() => {
        for (const ws of connections.keys()) ws.terminate();
      }, times.closeMs);
      await Promise.all(gone);
      clearTimeout(deadline);
    },
  };
}

function ping(connection: WebSocketConnection): void {
  const { ws } = connection;
  if (connection.missedPongs >= MAX_MISSED_PONGS) ws.terminate();
  else if (ws.readyState === ws.OPEN) {
    connection.missedPongs += 1;
    ws.ping();
  }
}

/** The library closes the connection after an error of the peer. */
function ignoreError(): void {}

/** Refuses an upgrade, and ends the connection. */
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
