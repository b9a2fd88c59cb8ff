import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Tier } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed.ts';
import { type FrameBatch, webSocketFrame } from '../delivery/frame-batch.ts';
import { Reader } from '../delivery/reader.ts';
import { countClosed, type FeedCounters } from '../figures.ts';
import { errorText } from './control-frames.ts';

/** Messages that a client may send at once, and then per second. */
const MESSAGE_BURST = 10;
const MESSAGES_PER_SECOND = 5;

/** A reader over a WebSocket. There are thousands, so it has neither a timer nor functions of its own. */
export class WebSocketReader extends Reader {
  readonly ws: WebSocket;
  readonly socket: Socket;
  /** The headers that identify the caller; a key that is sent in a message takes its place there. */
  readonly headers: IncomingHttpHeaders;
  /** All times here are ms of a clock that never goes back. */
  readonly openedAt: number;
  tier: Tier = 'FREE';
  keyId: string | null = null;
  hasSubscribed = false;
  malformedMessages = 0;
  pingedAt: number;
  keyCheckedAt: number;
  missedPongs = 0;
  /** Messages that the client may send at once, as of `tokensAt`. */
  #tokens = MESSAGE_BURST;
  #tokensAt: number;
  readonly #counters: FeedCounters;

  constructor(ws: WebSocket, { socket, headers }: IncomingMessage, counters: FeedCounters, nowMs: number) {
    super();
    this.ws = ws;
    this.socket = socket;
    // Only these two, as the others would take a kilobyte for as long as the reader stays.
    const { 'x-api-key': key, 'x-forwarded-for': forwardedFor } = headers;
    this.headers = { 'x-api-key': key, 'x-forwarded-for': forwardedFor };
    this.openedAt = nowMs;
    this.pingedAt = nowMs;
    this.keyCheckedAt = nowMs;
    this.#tokensAt = nowMs;
    this.#counters = counters;
  }

  /** Counts a message of the client; returns false when there are too many. */
  takeToken(nowMs: number): boolean {
    const gained = ((nowMs - this.#tokensAt) * MESSAGES_PER_SECOND) / 1_000;
    this.#tokens = Math.min(MESSAGE_BURST, this.#tokens + gained) - 1;
    this.#tokensAt = nowMs;
    return this.#tokens >= 0;
  }

  override unsentBytes(): number {
    return this.socket.writableLength;
  }

  /**
   * Writes directly to the socket, as the frames were encoded once for all readers. Without compression the library
   * writes each of its own frames in one piece, so the two never mix. Nothing may follow a close frame.
   */
  override write(batch: FrameBatch): void {
    if (this.ws.readyState === this.ws.OPEN) this.socket.write(batch.webSocketBytes());
  }

  /** Sends a frame to this reader alone. */
  send(text: string): void {
    if (this.ws.readyState === this.ws.OPEN) this.socket.write(webSocketFrame(text));
  }

  override cork(): void {
    this.socket.cork();
  }

  override uncork(): void {
    this.socket.uncork();
  }

  override onceDrained(listener: () => void): void {
    this.socket.once('drain', listener);
  }

  override closeTooSlow(): void {
    this.closeWithError(CLOSE_CODES.tooSlow, 'too_slow', 'The reader is too slow');
  }

  closeWithError(code: number, error: string, detail: string): void {
    if (this.status === 'closed') return;
    this.send(errorText(undefined, error, detail));
    this.close(code, error);
  }

  close(code: number, reason: string): void {
    if (this.status === 'closed') return;
    this.status = 'closed';
    countClosed(this.#counters, code);
    this.ws.close(code, reason);
  }
}
