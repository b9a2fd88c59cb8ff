import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Gate } from '../access/gate.ts';
import { includes } from '../access/tiers.ts';
import { CLOSE_CODES } from '../contract/feed.ts';
import { RequestError } from '../errors.ts';
import type { Admission } from './admission.ts';
import { type Connection, closeConnection, connectionOf, end, say } from './connection.ts';
import { obey, type ProtocolDeps } from './protocol.ts';
import { goodbyeText } from './replies.ts';

export interface SocketTimes {
  /** Within this a connection has to subscribe to something. */
  readonly subscribeMs: number;
  readonly pingMs: number;
  /** How often it is looked up whether a key is still good. */
  readonly checkKeyMs: number;
  /** How often all connections are looked at. */
  readonly sweepMs: number;
  /** How long a peer may take to close. */
  readonly closeMs: number;
}

export const SOCKET_TIMES: SocketTimes = {
  subscribeMs: 5_000,
  pingMs: 20_000,
  checkKeyMs: 30_000,
  sweepMs: 1_000,
  closeMs: 2_000,
};

const MAX_MISSED_PONGS = 2;
/** Messages at once, and per second after that. */
export const MESSAGE_BURST = 10;
const MESSAGES_PER_SECOND = 5;
const SLICE = 250;

export interface SocketsDeps extends ProtocolDeps {
  readonly gate: Gate;
  readonly admission: Admission;
  /** Ms that never go back. */
  readonly mono: () => number;
  readonly times: SocketTimes;
  readonly closed: (code: number) => void;
}

export interface Sockets {
  /** Takes over a connection whose address was let in; `release` gives its place back. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, release: () => void): void;
  unsentBytes(): number;
  /** Says goodbye to all and resolves when they are gone. */
  close(): Promise<void>;
}

export function createSockets(deps: SocketsDeps): Sockets {
  const { gate, admission, mono, times, subscriptions, reading } = deps;
  const connections = new Set<Connection>();
  // Not written where it is used, as the types do not know how long a peer may take to close.
  const options = {
    noServer: true,
    clientTracking: false,
    // Compression costs memory per socket, and frames are shared.
    perMessageDeflate: false,
    maxPayload: 4 * 1_024,
    maxFragments: 8,
    maxBufferedChunks: 64,
    closeTimeout: times.closeMs,
  };
  const server = new WebSocketServer(options);

  function open(ws: WebSocket, req: IncomingMessage, release: () => void): void {
    const nowMs = mono();
    const connection = connectionOf({
      ws,
      socket: req.socket,
      headers: { 'x-api-key': req.headers['x-api-key'], 'x-forwarded-for': req.headers['x-forwarded-for'] },
      tier: 'FREE',
      keyId: null,
      tokens: MESSAGE_BURST,
      tokensAt: nowMs,
      openedAt: nowMs,
      pingAt: nowMs + times.pingMs,
      checkAt: nowMs + times.checkKeyMs,
      closed: deps.closed,
    });
    connection.releases.push(release);
    connections.add(connection);
    // What the peer broke the library tells and closes for.
    ws.on('error', () => undefined);
    ws.on('pong', () => {
      connection.missedPongs = 0;
    });
    ws.on('message', (data, isBinary) => hear(connection, data, isBinary));
    ws.on('close', (code) => {
      if (!connection.reader.isClosed) deps.closed(code);
      connection.reader.isClosed = true;
      connections.delete(connection);
      subscriptions.endAll(connection.reader);
      for (const giveBack of connection.releases) giveBack();
    });
    req.socket.on('drain', () => reading.catchUp(connection.reader));
    identify(connection);
  }

  /** Whether the key it sent is good, and not used by too many. */
  function identify(connection: Connection): boolean {
    try {
      const { tier, keyId } = gate.identify({ access: 'tiered', isCounted: false }, connection);
      connection.tier = tier;
      if (keyId === null || keyId === connection.keyId) return true;
      const release = admission.useKey(keyId);
      if (release === undefined) {
        const detail = 'Too many connections use this key already';
        closeConnection(connection, CLOSE_CODES.tooMany, 'too_many_feeds', detail);
        return false;
      }
      connection.keyId = keyId;
      connection.releases.push(release);
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      closeConnection(connection, CLOSE_CODES.badKey, error.code, error.message);
      return false;
    }
  }

  function hear(connection: Connection, data: RawData, isBinary: boolean): void {
    if (connection.reader.isClosed) return;
    const nowMs = mono();
    const gained = ((nowMs - connection.tokensAt) * MESSAGES_PER_SECOND) / 1_000;
    connection.tokens = Math.min(MESSAGE_BURST, connection.tokens + gained) - 1;
    connection.tokensAt = nowMs;
    if (connection.tokens < 0) {
      closeConnection(connection, CLOSE_CODES.tooMany, 'too_many_messages', 'Too many messages');
      return;
    }
    const text = isBinary ? '' : String(data);
    obey(deps, connection, text, (key) => {
      connection.headers['x-api-key'] = key;
      return identify(connection);
    });
  }

  function look(connection: Connection, nowMs: number): void {
    const { ws, reader } = connection;
    if (!connection.hasSubscribed && nowMs - connection.openedAt > times.subscribeMs) {
      const detail = 'Nothing was subscribed to in time';
      closeConnection(connection, CLOSE_CODES.policy, 'subscribe_missing', detail);
    }
    if (nowMs >= connection.pingAt) {
      connection.pingAt = nowMs + times.pingMs;
      if (connection.missedPongs >= MAX_MISSED_PONGS) ws.terminate();
      else if (ws.readyState === ws.OPEN) {
        connection.missedPongs += 1;
        ws.ping();
      }
    }
    if (nowMs < connection.checkAt || connection.keyId === null || reader.isClosed) return;
    connection.checkAt = nowMs + times.checkKeyMs;
    if (!identify(connection)) return;
    for (const { state } of reader.subscriptions.values()) {
      const { tier, name } = state.topic.channel;
      if (includes(connection.tier, tier)) continue;
      const detail = `The channel ${name} needs a key of tier ${tier}`;
      closeConnection(connection, CLOSE_CODES.tier, 'tier_too_low', detail);
    }
  }

  const sweep = setInterval(() => {
    const nowMs = mono();
    for (const connection of connections) look(connection, nowMs);
  }, times.sweepMs);
  sweep.unref();

  return {
    accept(req, socket, head, release) {
      if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
      socket.once('error', release).once('close', release);
      server.handleUpgrade(req, socket, head, (ws) => {
        socket.off('error', release).off('close', release);
        open(ws, req, release);
      });
    },

    unsentBytes() {
      let bytes = 0;
      for (const { socket } of connections) bytes += socket.writableLength;
      return bytes;
    },

    async close() {
      clearInterval(sweep);
      const all = [...connections];
      const gone = all.map(({ ws }) => new Promise((resolve) => ws.once('close', resolve)));
      const goodbye = goodbyeText(deps.now());
      for (const [index, connection] of all.entries()) {
        say(connection, goodbye);
        end(connection, CLOSE_CODES.goodbye, 'goodbye');
        if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
      }
      const deadline = setTimeout(() => {
        for (const { ws } of connections) ws.terminate();
      }, times.closeMs);
      await Promise.all(gone);
      clearTimeout(deadline);
    },
  };
}
