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
interface Line {
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
  const lines = new WeakMap<Duplex, Line>();
  const held = new Set<Line>();
  let unsentBytes = 0;
  /** The part of them that goes with connections that are being closed. */
  let leavingBytes = 0;
  let endedConnections = 0;

  function lineOf(socket: Socket): Line {
    let line = lines.get(socket);
    if (line === undefined) {
      line = {
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
    if (unsentBytes - leavingBytes > maxUnsentBytes) closeHeaviest();
  }

  function release(line: Line, bytes: number): void {
    if (line.state === 'closed') return;
    line.bytes -= bytes;
    unsentBytes -= bytes;
  }

  function forget(line: Line): void {
    if (line.state === 'closed') leavingBytes -= line.bytes;
    unsentBytes -= line.bytes;
    line.bytes = 0;
    line.state = 'closed';
    line.current = undefined;
    line.waiting.length = 0;
    held.delete(line);
  }

  /** Its memory is free when Node says that it is closed. */
  function close(line: Line): void {
    leavingBytes += line.bytes;
    line.state = 'closed';
    line.socket.destroy();
    endedConnections += 1;
  }

  function closeHeaviest(): void {
    const open = [...held].filter(({ state }) => state !== 'closed');
    const sums = new Map<string, number>();
    for (const { address, bytes } of open) sums.set(address, (sums.get(address) ?? 0) + bytes);
    const sumOf = ({ address }: Line) => sums.get(address) ?? 0;
    for (const line of open.sort((a, b) => sumOf(b) - sumOf(a) || b.bytes - a.bytes)) {
      if (unsentBytes - leavingBytes <= SHARE_LEFT * maxUnsentBytes) return;
      close(line);
    }
  }

  /** As many requests as may be made of what a connection has sent: one at least. */
  function mostRequests({ waiting }: Line): number {
    const room = Math.floor((maxUnsentBytes - unsentBytes) / REQUEST_BYTES);
    return Math.max(1, Math.min(maxWaitingRequests - waiting.length, room));
  }

  /**
   * Comes before the listener of the server, which reads the same bytes: what is too much is made unreadable for its
   * parser, which then ends the connection's requests. Shared by all connections; `this` is that of the event.
   */
  function onData(this: Socket, chunk: Buffer): void {
    const line = lineOf(this);
    // Whoever goes on sending would never be found to take no byte of the answer.
    if (line.isTimed && line.current !== undefined) pause(line);
    if (line.cutAt !== undefined) {
      // The parser reads no more, and where it says that it stopped means nothing.
      line.cutAt = Number.NEGATIVE_INFINITY;
      return;
    }
    line.cutAt = line.ends.firstUnwanted(chunk, mostRequests(line));
    if (line.cutAt !== undefined) chunk[line.cutAt] = 0;
  }

  function begin(line: Line, req: IncomingMessage, res: ServerResponse, isHeld: boolean): void {
    if (line.isTimed) {
      line.socket.setTimeout(0);
      line.isTimed = false;
    }
    const whole = answering(req, res);
    const isStream = whole === undefined && !res.writableEnded;
    // Most are taken by the network already.
    if (isHeld && (res.writableFinished || isStream)) release(line, REQUEST_BYTES);
    if (res.writableFinished) return;
    line.current = res;
    let bytes = isStream ? 0 : REQUEST_BYTES;
    if (!isHeld) hold(line, bytes);
    res.once('finish', () => {
      release(line, bytes);
      line.current = undefined;
      continueWith(line);
    });
    const weigh = () => {
      if (res.writableFinished || line.state === 'closed') return;
      line.isTimed = true;
      // Node closes a connection without progress in either direction for so long, and of what it sends meanwhile only
      // the first bytes are read.
      line.socket.setTimeout(writeTimeoutMs);
      // A body that is kept anyway takes no more memory while it waits.
      if (hasKeptBody(res)) return;
      bytes += res.writableLength;
      hold(line, res.writableLength);
    };
    if (res.writableEnded) weigh();
    else void whole?.then(weigh);
  }

  function pause(line: Line): void {
    if (line.isPaused) return;
    line.isPaused = true;
    line.socket.pause();
    hold(line, PAUSED_BYTES);
  }

  function resume(line: Line): void {
    if (!line.isPaused) return;
    line.isPaused = false;
    line.socket.resume();
    release(line, PAUSED_BYTES);
  }

  /** The answer to the last request that waits says that the connection ends. */
  function endAfterAnswers(line: Line): void {
    if (line.state !== 'open') return;
    line.state = 'ending';
    const last = line.waiting.at(-1)?.[1];
    if (last !== undefined) last.shouldKeepAlive = false;
    line.atEnd = () => line.socket.destroySoon();
  }

  /** Answers what waits, until an answer is not taken at once. */
  function continueWith(line: Line): void {
    const { socket, waiting } = line;
    while (line.current === undefined && line.state !== 'closed' && socket.writable) {
      const next = waiting.shift();
      if (next === undefined) {
        // An answer that the network has taken is Node's until its event, which comes before this.
        if (line.atEnd !== undefined) setImmediate(line.atEnd);
        else if (line.state === 'open') resume(line);
        line.atEnd = undefined;
        return;
      }
      begin(line, ...next, true);
    }
  }

  return {
    watch(socket) {
      socket.prependListener('data', onData);
    },

    endIfCut(error, socket) {
      const line = lines.get(socket);
      const parsed = 'bytesParsed' in error ? Number(error.bytesParsed) : Number.NaN;
      if (line?.cutAt === undefined || !(parsed >= line.cutAt)) return false;
      endAfterAnswers(line);
      pause(line);
      continueWith(line);
      return true;
    },

    answer(req, res) {
      const line = lineOf(req.socket);
      // A connection that was refused is not answered, whatever it has sent.
      if (line.state === 'closed' || !req.socket.writable) return;
      if (line.current === undefined && line.waiting.length === 0 && line.state === 'open') {
        begin(line, req, res, false);
        return;
      }
      // Node keeps the request for as long as the connection lives, whether it is answered or not.
      hold(line, REQUEST_BYTES);
      pause(line);
      if (line.state !== 'open') return;
      if (line.waiting.length < maxWaitingRequests) line.waiting.push([req, res]);
      else endAfterAnswers(line);
    },

    afterAnswers(socket, then) {
      socket.off('data', onData);
      const line = lines.get(socket);
      if (line === undefined) {
        then();
        return;
      }
      if (line.state === 'closed' || line.atEnd !== undefined) return;
      line.state = 'ending';
      line.atEnd = then;
      continueWith(line);
    },

    answerLast: (req, res) => begin(lineOf(req.socket), req, res, false),

    figures: () => ({ unsentBytes, endedConnections }),
  };
}
