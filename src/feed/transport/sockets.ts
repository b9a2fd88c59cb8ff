import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Gate } from '../../access/gate.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed.ts';
import { RequestError } from '../../errors.ts';
import type { Subscription } from '../delivery/delivery.ts';
import type { Admission } from './admission.ts';
import { Connection } from './connection.ts';
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
  /** Takes over a connection whose address was let in. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  unsentBytes(): number;
  /** Says goodbye to all and resolves when they are gone. */
  close(): Promise<void>;
}

export function createSockets(deps: SocketsDeps): Sockets {
  const { gate, admission, mono, times, subscriptions } = deps;
  const connections = new Map<WebSocket, Connection>();
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

  function open(ws: WebSocket, { socket, headers }: IncomingMessage): void {
    const { 'x-api-key': key, 'x-forwarded-for': forwarded } = headers;
    const connection = new Connection({
      ws,
      socket,
      headers: { 'x-api-key': key, 'x-forwarded-for': forwarded },
      nowMs: mono(),
      tokens: MESSAGE_BURST,
      closed: deps.closed,
    });
    connections.set(ws, connection);
    ws.on('error', ignoreError).on('pong', hearPong).on('message', hear).on('close', forget);
    identify(connection);
  }

  // Each of these serves all sockets, as `this` tells which.

  function hearPong(this: WebSocket): void {
    const connection = connections.get(this);
    if (connection) connection.missedPongs = 0;
  }

  function forget(this: WebSocket, code: number): void {
    const connection = connections.get(this);
    if (connection === undefined) return;
    const { reader, keyId } = connection;
    if (!reader.isClosed) deps.closed(code);
    reader.isClosed = true;
    connections.delete(this);
    subscriptions.endAll(reader);
    if (keyId !== null) admission.leaveKey(keyId);
  }

  function hear(this: WebSocket, data: RawData, isBinary: boolean): void {
    const connection = connections.get(this);
    if (connection === undefined || connection.reader.isClosed) return;
    const nowMs = mono();
    const gained = ((nowMs - connection.tokensAt) * MESSAGES_PER_SECOND) / 1_000;
    connection.tokens = Math.min(MESSAGE_BURST, connection.tokens + gained) - 1;
    connection.tokensAt = nowMs;
    if (connection.tokens < 0) {
      connection.refuse(CLOSE_CODES.tooMany, 'too_many_messages', 'Too many messages');
      return;
    }
    const text = isBinary ? '' : String(data);
    obey(deps, connection, text, (key) => {
      connection.headers['x-api-key'] = key;
      return identify(connection);
    });
  }

  /** Whether the key it sent is good, and not used by too many. */
  function identify(connection: Connection): boolean {
    try {
      const { tier, keyId } = gate.identify({ access: 'tiered', isCounted: false }, connection);
      connection.tier = tier;
      if (keyId === null || keyId === connection.keyId) return true;
      if (!admission.useKey(keyId)) {
        const detail = 'Too many connections use this key already';
        connection.refuse(CLOSE_CODES.tooMany, 'too_many_feeds', detail);
        return false;
      }
      connection.keyId = keyId;
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      connection.refuse(CLOSE_CODES.badKey, error.code, error.message);
      return false;
    }
  }

  function look(connection: Connection, nowMs: number): void {
    const { ws, reader } = connection;
    if (!connection.hasSubscribed && nowMs - connection.openedAt > times.subscribeMs) {
      const detail = 'Nothing was subscribed to in time';
      connection.refuse(CLOSE_CODES.policy, 'subscribe_missing', detail);
    }
    if (nowMs - connection.pingedAt >= times.pingMs) {
      connection.pingedAt = nowMs;
      if (connection.missedPongs >= MAX_MISSED_PONGS) ws.terminate();
      else if (ws.readyState === ws.OPEN) {
        connection.missedPongs += 1;
        ws.ping();
      }
    }
    if (nowMs - connection.checkedAt < times.checkKeyMs) return;
    connection.checkedAt = nowMs;
    if (connection.keyId === null || reader.isClosed) return;
    if (!identify(connection)) return;
    for (const subscription of reader.subscriptions.values()) {
      if (isFor(connection.tier, subscription)) continue;
      const { name } = subscription.state.topic.channel;
      const detail = `The channel ${name}, as it was told, is not for the tier of this key any more`;
      connection.refuse(CLOSE_CODES.tier, 'tier_too_low', detail);
    }
  }

  /** In slices: those who came in a crowd are due for a ping at the same moment too. */
  async function lookAtAll(): Promise<void> {
    let seen = 0;
    isLooking = true;
    for (const connection of connections.values()) {
      look(connection, mono());
      seen += 1;
      if (seen % SLICE === 0) await turn();
    }
    isLooking = false;
  }

  let isLooking = false;
  const sweep = setInterval(() => {
    if (!isLooking) void lookAtAll();
  }, times.sweepMs);
  sweep.unref();

  return {
    accept(req, socket, head) {
      if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
      server.handleUpgrade(req, socket, head, open);
    },

    unsentBytes() {
      let bytes = 0;
      for (const { socket } of connections.values()) bytes += socket.writableLength;
      return bytes;
    },

    async close() {
      clearInterval(sweep);
      const all = [...connections.values()];
      const gone = all.map(({ ws }) => new Promise((resolve) => ws.once('close', resolve)));
      const goodbye = goodbyeText(deps.now());
      for (const [index, connection] of all.entries()) {
        connection.say(goodbye);
        connection.end(CLOSE_CODES.goodbye, 'goodbye');
        if (index % SLICE === SLICE - 1) await turn();
      }
      const deadline = setTimeout(() => {
        for (const ws of connections.keys()) ws.terminate();
      }, times.closeMs);
      await Promise.all(gone);
      clearTimeout(deadline);
    },
  };
}

/** Whether a reader of this tier may go on as he is told now. */
function isFor(tier: Tier, { state, view }: Subscription): boolean {
  return includes(tier, state.topic.channel.tier) && includes(tier, view.tier);
}

/** What the peer broke the library tells, and closes for. */
function ignoreError(): void {}
