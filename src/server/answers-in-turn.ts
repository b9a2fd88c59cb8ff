import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callerAddress } from '../access/client-address.ts';
import { hasKeptBody } from './kept-body.ts';

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

/** Answers a request; the promise, if there is one, resolves when the answer is whole. */
type Answering = (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;

/** Answers the requests of each connection one after the other, and bounds what waits for those who do not read. */
export interface AnswersInTurn {
  answer(req: IncomingMessage, res: ServerResponse): void;
  /** Calls `then` when the connection owes no answer. Further requests on it are not answered. */
  afterAnswers(socket: Duplex, then: () => void): void;
  /** Memory that waits, by our estimate, and the connections that were closed because of it. */
  figures(): UnsentFigures;
}

export interface UnsentFigures {
  readonly unsentBytes: number;
  readonly endedConnections: number;
}

/** One connection with an answer that is not yet sent. */
interface Line {
  readonly socket: Socket;
  readonly address: string;
  /** The answer that is being made or sent; undefined when there is none. */
  current: ServerResponse | undefined;
  readonly waiting: (readonly [req: IncomingMessage, res: ServerResponse])[];
  /** What to do once every answer is sent; further requests are not looked at. */
  atEnd: (() => void) | undefined;
  /** Memory that the connection's requests and answers take. */
  bytes: number;
  state: 'open' | 'ending' | 'closed';
  isTimed: boolean;
}

/** What a request and its answer take beside the body: both objects, their headers and what Node keeps about them. */
const REQUEST_BYTES = 4_096;

/** When too much waits, connections are closed until this share of the limit is left. */
const SHARE_LEFT = 0.9;

/**
 * Node hands over every request of what it has read at once: 64 KiB may hold two thousand. So at most two answers of a
 * connection are made before the first of them was taken by the network; the other requests wait unread, and nothing
 * more is read from the connection meanwhile.
 *
 * When all connections together hold too much, those of the address that holds most are closed first.
 */
export function createAnswersInTurn(answering: Answering, limits: UnsentLimits): AnswersInTurn {
  const { maxWaitingRequests, maxUnsentBytes, writeTimeoutMs } = limits;
  const lines = new WeakMap<Duplex, Line>();
  const held = new Set<Line>();
  let unsentBytes = 0;
  let endedConnections = 0;

  function lineOf(socket: Socket): Line {
    let line = lines.get(socket);
    if (line === undefined) {
      line = {
        socket,
        address: callerAddress(socket.remoteAddress ?? ''),
        current: undefined,
        waiting: [],
        atEnd: undefined,
        bytes: 0,
        state: 'open',
        isTimed: false,
      };
      lines.set(socket, line);
    }
    return line;
  }

  function hold(line: Line, bytes: number): void {
    if (line.state === 'closed') return;
    if (!held.has(line)) {
      held.add(line);
      line.socket.once('close', () => forget(line));
    }
    line.bytes += bytes;
    unsentBytes += bytes;
    if (unsentBytes > maxUnsentBytes) closeHeaviest();
  }

  function release(line: Line, bytes: number): void {
    if (line.state === 'closed') return;
    line.bytes -= bytes;
    unsentBytes -= bytes;
  }

  function forget(line: Line): void {
    release(line, line.bytes);
    line.state = 'closed';
    line.current = undefined;
    line.waiting.length = 0;
    held.delete(line);
  }

  function closeHeaviest(): void {
    const sums = new Map<string, number>();
    for (const { address, bytes } of held) sums.set(address, (sums.get(address) ?? 0) + bytes);
    const sumOf = ({ address }: Line) => sums.get(address) ?? 0;
    const heaviestFirst = [...held].sort((a, b) => sumOf(b) - sumOf(a) || b.bytes - a.bytes);
    for (const line of heaviestFirst) {
      if (unsentBytes <= SHARE_LEFT * maxUnsentBytes) return;
      endedConnections += 1;
      forget(line);
      line.socket.destroy();
    }
  }

  function begin(line: Line, req: IncomingMessage, res: ServerResponse, isHeld: boolean): void {
    if (line.isTimed) {
      line.socket.setTimeout(0);
      line.isTimed = false;
    }
    const whole = answering(req, res);
    // Taken by the network already, as most are.
    if (res.writableFinished) {
      if (isHeld) release(line, REQUEST_BYTES);
      return;
    }
    line.current = res;
    let bytes = REQUEST_BYTES;
    if (!isHeld) hold(line, bytes);
    res.once('finish', () => {
      release(line, bytes);
      line.current = undefined;
      continueWith(line);
    });
    const weigh = () => {
      if (res.writableFinished || line.state === 'closed') return;
      line.isTimed = true;
      // Node closes a connection without progress in either direction for so long, and nothing is read from it now.
      line.socket.setTimeout(writeTimeoutMs);
      // A body that is kept anyway takes no more memory while it waits.
      if (hasKeptBody(res)) return;
      bytes += res.writableLength;
      hold(line, res.writableLength);
    };
    if (res.writableEnded) weigh();
    else void whole?.then(weigh);
  }

  /** Answers what waits, until an answer is not taken at once. */
  function continueWith(line: Line): void {
    const { socket, waiting } = line;
    while (line.current === undefined && line.state !== 'closed' && socket.writable) {
      const next = waiting.shift();
      if (next === undefined) {
        if (line.atEnd !== undefined) line.atEnd();
        else if (line.state === 'open') socket.resume();
        return;
      }
      begin(line, ...next, true);
    }
  }

  return {
    answer(req, res) {
      const line = lineOf(req.socket);
      if (line.state === 'closed') return;
      if (line.current === undefined && line.waiting.length === 0 && line.state === 'open') {
        begin(line, req, res, false);
        return;
      }
      // Node keeps the request for as long as the connection lives, whether it is answered or not.
      hold(line, REQUEST_BYTES);
      if (line.state !== 'open') return;
      line.socket.pause();
      if (line.waiting.length < maxWaitingRequests) {
        line.waiting.push([req, res]);
        return;
      }
      line.state = 'ending';
      const last = line.waiting.at(-1)?.[1];
      if (last !== undefined) last.shouldKeepAlive = false;
    },

    afterAnswers(socket, then) {
      const line = lines.get(socket);
      if (line === undefined) {
        then();
        return;
      }
      if (line.state === 'closed' || line.atEnd !== undefined) return;
      line.state = 'ending';
      line.atEnd = then;
      // An answer that the network has taken is still Node's until its event, which comes before this.
      setImmediate(() => continueWith(line));
    },

    figures: () => ({ unsentBytes, endedConnections }),
  };
}
