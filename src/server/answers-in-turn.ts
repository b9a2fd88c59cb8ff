import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callerAddress } from '../access/client-address.ts';
import { hasKeptBody } from './kept-body.ts';
import { RequestEnds } from './request-ends.ts';

export interface UnsentLimits {
  /**
   * Requests of one connection that may wait while earlier ones are answered. With more of them the connection ends
   * after the answers to those that wait.
   */
  readonly maxWaitingRequests: number;
  /** Memory that requests and answers of all connections may take while they wait, in bytes. */
  readonly maxUnsentBytes: number;
  /** A connection that takes no byte for so long, while bytes wait for it, is closed. */
  readonly writeTimeoutMs: number;
}

/**
 * Answers a request. The promise resolves when the answer is whole; without one it is whole already, or it is a stream
 * that is looked after elsewhere.
 */
type Answering = (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;

/** Answers the requests of each connection one after the other, and bounds what waits for those who do not read. */
export interface AnswersInTurn {
  /** Watches what a new connection sends. */
  watch(socket: Socket): void;
  answer(req: IncomingMessage, res: ServerResponse): void;
  /** Ends a connection after its answers if the parser's error is where we cut what it sent. */
  endIfCut(error: Error, socket: Duplex): boolean;
  /** Calls `then` when the connection owes no answer. Further requests on it are not answered. */
  afterAnswers(socket: Duplex, then: () => void): void;
  /** Answers the request on which `afterAnswers` waited, with all limits of other answers. */
  answerLast(req: IncomingMessage, res: ServerResponse): void;
  /** Memory that waits, by our estimate, and the connections that were closed because of it. */
  figures(): UnsentFigures;
}

export interface UnsentFigures {
  readonly unsentBytes: number;
  readonly endedConnections: number;
}

/** What is known of one connection. */
interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly ends: RequestEnds;
  /** The answer that is being made or sent; undefined when there is none. */
  current: ServerResponse | undefined;
  readonly waiting: (readonly [req: IncomingMessage, res: ServerResponse])[];
  /** What to do once every answer is sent; further requests are not looked at. */
  atEnd: (() => void) | undefined;
  /** Memory that the connection's requests and answers take. */
  bytes: number;
  /** `ending`: no further request is answered. `closed`: nothing is sent any more. */
  state: 'open' | 'ending' | 'closed';
  /** Where in the last bytes that came the requests were cut off, or before them; undefined if they never were. */
  cutAt: number | undefined;
  isPaused: boolean;
  isTimed: boolean;
}

/** What a request and its answer take beside the body: both objects, their headers and what Node keeps about them. */
const REQUEST_BYTES = 4_096;

/** What may still be read from a connection after it was paused. */
const PAUSED_BYTES = 65_536;

/** When too much waits, connections are closed until this share of the limit is left. */
const SHARE_LEFT = 0.9;

/**
 * Node makes a request of everything it has read at once, up to two thousand of 64 KiB, and keeps them until the
 * connection is closed. So what was read is cut after as many requests as may wait, and the parser ends there. Of these,
 * at most two are answered before the network has taken the first answer; the others wait, and nothing more is read from
 * the connection meanwhile.
 *
 * When all connections together hold too much, those of the address that holds most are closed first.
 */
export function createAnswersInTurn(answering: Answering, limits: UnsentLimits): AnswersInTurn {
  const { maxWaitingRequests, maxUnsentBytes, writeTimeoutMs } = limits;
  const connections = new WeakMap<Duplex, Connection>();
  const held = new Set<Connection>();
  let unsentBytes = 0;
  /** The part of them that goes with connections that are being closed. */
  let leavingBytes = 0;
  let endedConnections = 0;

  function connectionOf(socket: Socket): Connection {
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = {
        socket,
        address: callerAddress(socket.remoteAddress ?? ''),
        ends: new RequestEnds(),
        current: undefined,
        waiting: [],
        atEnd: undefined,
        bytes: 0,
        state: 'open',
        cutAt: undefined,
        isPaused: false,
        isTimed: false,
      };
      connections.set(socket, connection);
    }
    return connection;
  }

  function hold(connection: Connection, bytes: number): void {
    if (connection.state === 'closed') return;
    if (!held.has(connection)) {
      held.add(connection);
      connection.socket.on('close', onClose);
    }
    connection.bytes += bytes;
    unsentBytes += bytes;
    if (unsentBytes - leavingBytes > maxUnsentBytes) closeHeaviest();
  }

  function release(connection: Connection, bytes: number): void {
    if (connection.state === 'closed') return;
    connection.bytes -= bytes;
    unsentBytes -= bytes;
  }

  /** Shared by all connections; `this` is that of the event. */
  function onClose(this: Socket): void {
    const connection = connections.get(this);
    if (connection !== undefined) forget(connection);
  }

  function forget(connection: Connection): void {
    if (connection.state === 'closed') leavingBytes -= connection.bytes;
    unsentBytes -= connection.bytes;
    connection.bytes = 0;
    connection.state = 'closed';
    connection.current = undefined;
    connection.waiting.length = 0;
    held.delete(connection);
  }

  /** Its memory is free when Node says that it is closed. */
  function close(connection: Connection): void {
    leavingBytes += connection.bytes;
    connection.state = 'closed';
    connection.socket.destroy();
    endedConnections += 1;
  }

  function closeHeaviest(): void {
    const open = [...held].filter(({ state }) => state !== 'closed');
    const sums = new Map<string, number>();
    for (const { address, bytes } of open) sums.set(address, (sums.get(address) ?? 0) + bytes);
    const sumOf = ({ address }: Connection) => sums.get(address) ?? 0;
    for (const connection of open.sort((a, b) => sumOf(b) - sumOf(a) || b.bytes - a.bytes)) {
      if (unsentBytes - leavingBytes <= SHARE_LEFT * maxUnsentBytes) return;
      close(connection);
    }
  }

  /** As many requests as may be made of what a connection has sent: one at least. */
  function mostRequests({ waiting }: Connection): number {
    const room = Math.floor((maxUnsentBytes - unsentBytes) / REQUEST_BYTES);
    return Math.max(1, Math.min(maxWaitingRequests - waiting.length, room));
  }

  /**
   * Comes before the listener of the server, which reads the same bytes: what is too much is made unreadable for its
   * parser, which then ends the connection's requests. Shared by all connections; `this` is that of the event.
   */
  function onData(this: Socket, chunk: Buffer): void {
    const connection = connectionOf(this);
    // Whoever goes on sending would never be found to take no byte of the answer.
    if (connection.isTimed && connection.current !== undefined) pause(connection);
    if (connection.cutAt !== undefined) {
      // The parser reads no more, and where it says that it stopped means nothing.
      connection.cutAt = Number.NEGATIVE_INFINITY;
      return;
    }
    connection.cutAt = connection.ends.firstUnwanted(chunk, mostRequests(connection));
    if (connection.cutAt !== undefined) chunk[connection.cutAt] = 0;
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse, isHeld: boolean): void {
    if (connection.isTimed) {
      connection.socket.setTimeout(0);
      connection.isTimed = false;
    }
    const whole = answering(req, res);
    const isStream = whole === undefined && !res.writableEnded;
    // Most are taken by the network already.
    if (isHeld && (res.writableFinished || isStream)) release(connection, REQUEST_BYTES);
    if (res.writableFinished) return;
    connection.current = res;
    let bytes = isStream ? 0 : REQUEST_BYTES;
    if (!isHeld) hold(connection, bytes);
    res.once('finish', () => {
      release(connection, bytes);
      connection.current = undefined;
      continueWith(connection);
    });
    const weigh = () => {
      if (res.writableFinished || connection.state === 'closed') return;
      connection.isTimed = true;
      // Node closes a connection without progress in either direction for so long, and of what it sends meanwhile only
      // the first bytes are read.
      connection.socket.setTimeout(writeTimeoutMs);
      // A body that is kept anyway takes no more memory while it waits.
      if (hasKeptBody(res)) return;
      bytes += res.writableLength;
      hold(connection, res.writableLength);
    };
    if (res.writableEnded) weigh();
    else void whole?.then(weigh);
  }

  function pause(connection: Connection): void {
    if (connection.isPaused) return;
    connection.isPaused = true;
    connection.socket.pause();
    hold(connection, PAUSED_BYTES);
  }

  function resume(connection: Connection): void {
    if (!connection.isPaused) return;
    connection.isPaused = false;
    connection.socket.resume();
    release(connection, PAUSED_BYTES);
  }

  /** The answer to the last request that waits says that the connection ends. */
  function endAfterAnswers(connection: Connection): void {
    if (connection.state !== 'open') return;
    connection.state = 'ending';
    const last = connection.waiting.at(-1)?.[1];
    if (last !== undefined) last.shouldKeepAlive = false;
    connection.atEnd = () => connection.socket.destroySoon();
  }

  /** Answers what waits, until an answer is not taken at once. */
  function continueWith(connection: Connection): void {
    const { socket, waiting } = connection;
    while (connection.current === undefined && connection.state !== 'closed' && socket.writable) {
      const next = waiting.shift();
      if (next === undefined) {
        // An answer that the network has taken is Node's until its event, which comes before this.
        if (connection.atEnd !== undefined) setImmediate(connection.atEnd);
        else if (connection.state === 'open') resume(connection);
        connection.atEnd = undefined;
        return;
      }
      begin(connection, ...next, true);
    }
  }

  return {
    watch(socket) {
      socket.prependListener('data', onData);
    },

    endIfCut(error, socket) {
      const connection = connections.get(socket);
      const parsed = 'bytesParsed' in error ? Number(error.bytesParsed) : Number.NaN;
      if (connection?.cutAt === undefined || !(parsed >= connection.cutAt)) return false;
      endAfterAnswers(connection);
      pause(connection);
      continueWith(connection);
      return true;
    },

    answer(req, res) {
      const connection = connectionOf(req.socket);
      // A connection that was refused is not answered, whatever it has sent.
      if (connection.state === 'closed' || !req.socket.writable) return;
      if (
        connection.current === undefined &&
        connection.waiting.length === 0 &&
        connection.state === 'open'
      ) {
        begin(connection, req, res, false);
        return;
      }
      // Node keeps the request for as long as the connection lives, whether it is answered or not.
      hold(connection, REQUEST_BYTES);
      pause(connection);
      if (connection.state !== 'open') return;
      if (connection.waiting.length < maxWaitingRequests) connection.waiting.push([req, res]);
      else endAfterAnswers(connection);
    },

    afterAnswers(socket, then) {
      socket.off('data', onData);
      const connection = connections.get(socket);
      if (connection === undefined) {
        then();
        return;
      }
      if (connection.state === 'closed' || connection.atEnd !== undefined) return;
      connection.state = 'ending';
      connection.atEnd = () => {
        // Nothing more is read from it here. What is held is let go when it closes.
        if (!held.has(connection)) connections.delete(socket);
        then();
      };
      continueWith(connection);
    },

    answerLast: (req, res) => begin(connectionOf(req.socket), req, res, false),

    figures: () => ({ unsentBytes, endedConnections }),
  };
}
