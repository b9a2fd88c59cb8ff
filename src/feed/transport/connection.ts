import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Tier } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed.ts';
import { createReader, type Pipe, type Reader } from '../delivery/delivery.ts';
import { type Parcel, toWire } from '../log/frames.ts';
import { errorText } from './replies.ts';

export interface ConnectionDeps {
  readonly ws: WebSocket;
  readonly socket: Socket;
  /** Of the request it began with, what tells who it is. */
  readonly headers: IncomingMessage['headers'];
  /** Ms that never go back. */
  readonly nowMs: number;
  /** Messages it may send at once. */
  readonly tokens: number;
  /** Told with which code it was closed. */
  readonly closed: (code: number) => void;
}

/**
 * One WebSocket. There are thousands: it has no timer of its own, as all are looked at in turns, and is a class lest
 * each has its own functions.
 */
export class Connection implements Pipe {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly reader: Reader;
  readonly headers: IncomingMessage['headers'];
  readonly openedAt: number;
  tier: Tier = 'FREE';
  keyId: string | null = null;
  hasSubscribed = false;
  /** Malformed messages so far. */
  faults = 0;
  /** Messages it may send at once, as of `tokensAt`. */
  tokens: number;
  tokensAt: number;
  /** When it was last pinged, and when its key was last looked up. */
  pingedAt: number;
  checkedAt: number;
  missedPongs = 0;
  readonly #closed: (code: number) => void;

  constructor({ ws, socket, headers, nowMs, tokens, closed }: ConnectionDeps) {
    this.ws = ws;
    this.socket = socket;
    this.headers = headers;
    this.openedAt = nowMs;
    this.tokens = tokens;
    this.tokensAt = nowMs;
    this.pingedAt = nowMs;
    this.checkedAt = nowMs;
    this.reader = createReader(this);
    this.#closed = closed;
  }

  unsentBytes(): number {
    return this.socket.writableLength;
  }

  /** Past the library, which writes whole frames too: what goes to many is framed once. */
  write(parcel: Parcel): void {
    // Once a close was sent or heard nothing may follow it.
    if (this.ws.readyState !== this.ws.OPEN) return;
    this.socket.write(parcel.wire());
  }

  hold(): void {
    this.socket.cork();
  }

  release(): void {
    this.socket.uncork();
  }

  onceSent(listener: () => void): void {
    this.socket.once('drain', listener);
  }

  dropSlow(): void {
    this.refuse(CLOSE_CODES.tooSlow, 'too_slow', 'The reader is too slow');
  }

  /** Says something to this one alone. */
  say(text: string): void {
    if (this.ws.readyState === this.ws.OPEN) this.socket.write(toWire(text));
  }

  /** Says why, then closes. */
  refuse(code: number, error: string, detail: string): void {
    if (this.reader.isClosed) return;
    this.say(errorText(undefined, error, detail));
    this.end(code, error);
  }

  end(code: number, reason: string): void {
    if (this.reader.isClosed) return;
    this.reader.isClosed = true;
    this.#closed(code);
    this.ws.close(code, reason);
  }
}
