import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Tier } from '../../access/tiers.ts';
import { CLOSE_CODES } from '../../contract/feed/names.ts';
import { type FrameBatch, webSocketFrame } from '../delivery/frame-batch.ts';
import { Reader } from '../delivery/reader.ts';
import { countClosed, type FeedCounters } from '../figures.ts';
import { keyCaller } from './connection-limits.ts';
import { errorText } from './control-frames.ts';
import { hasRoomFor, isFull } from './room.ts';

/** Messages that a client may send at once, and then per second. */
const MESSAGE_BURST = 10;
const MESSAGES_PER_SECOND = 5;
/** Messages that wait while the client does not read the answers to earlier ones. */
const MAX_HELD = MESSAGE_BURST;

/** A reader over a WebSocket. There are thousands, so it has neither a timer nor functions of its own. */
export class WebSocketReader extends Reader {
  readonly ws: WebSocket;
  readonly socket: Socket;
  /** The headers that identify the caller; a key that is sent in a message takes its place there. */
  readonly headers: IncomingHttpHeaders;
  /** All times here are ms of a clock that never goes back. */
  readonly openedAt: number;
  caller: string;
  tier: Tier = 'FREE';
  keyId: string | null = null;
  hasSubscribed = false;
  malformedMessages = 0;
  pingedAt: number;
  keyCheckedAt: number;
  missedPongs = 0;
  /** Whether the client has yet to answer the last ping; any other pong is a message like others. */
  isPongDue = false;
  readonly #held: string[] = [];
  /** The newest ping that was not answered; earlier ones never are (RFC 6455, 5.5.3). */
  #ping: Buffer | undefined;
  #isPongUnsent = false;
  /** Messages that the client may send at once, as of `tokensAt`. */
  #tokens = MESSAGE_BURST;
  #tokensAt: number;
  readonly #counters: FeedCounters;

  constructor(
    ws: WebSocket,
    { socket, headers }: IncomingMessage,
    address: string,
    counters: FeedCounters,
    nowMs: number,
  ) {
    super();
    this.ws = ws;
    this.caller = address;
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

  useKey(keyId: string): void {
    this.keyId = keyId;
    this.caller = keyCaller(keyId);
  }

  /** Counts a message of the client; returns false when there are too many. */
  takeToken(nowMs: number): boolean {
    const gained = ((nowMs - this.#tokensAt) * MESSAGES_PER_SECOND) / 1_000;
    this.#tokens = Math.min(MESSAGE_BURST, this.#tokens + gained) - 1;
    this.#tokensAt = nowMs;
    return this.#tokens >= 0;
  }

  override get hasKey(): boolean {
    return this.keyId !== null;
  }

  override unsentBytes(): number {
    return this.socket.writableLength;
  }

  override takenBytes(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /**
   * Writes directly to the socket, as the frames were encoded once for all readers. Without compression the library
   * writes each of its own frames in one piece, so the two never mix. Nothing may follow a close frame.
   */
  override write(batch: FrameBatch): boolean {
    if (this.ws.readyState !== this.ws.OPEN) return true;
    const bytes = batch.webSocketBytes();
    if (!hasRoomFor(this.socket, bytes.length)) return false;
    this.socket.write(bytes);
    return true;
  }

  /** Sends a frame to this reader alone, who is too slow if there is no room for it. */
  send(text: string): void {
    const bytes = webSocketFrame(text);
    if (!hasRoomFor(this.socket, bytes.length)) this.closeTooSlow();
    else if (this.ws.readyState === this.ws.OPEN) this.socket.write(bytes);
  }

  /** Whether a message has to wait, as answers to earlier ones do. */
  get mustHold(): boolean {
    return this.#held.length > 0 || isFull(this.socket);
  }

  /** Keeps a message until `handle` can be called with it. A client that sends too many is too slow. */
  hold(text: string, handle: (text: string) => void): void {
    if (this.#held.length === MAX_HELD) this.closeTooSlow();
    else if (this.#held.push(text) === 1) this.#handleOnceDrained(handle);
  }

  #handleOnceDrained(handle: (text: string) => void): void {
    this.onceDrained(() => {
      while (this.status !== 'closed' && !isFull(this.socket)) {
        const text = this.#held.shift();
        if (text === undefined) return;
        handle(text);
      }
      if (this.status !== 'closed' && this.#held.length > 0) this.#handleOnceDrained(handle);
    });
  }

  /** At most one pong waits. When it was sent, the newest ping since then is answered. */
  answerPing(data: Buffer): void {
    // A copy, as the data is part of everything that was read with it.
    this.#ping = Buffer.from(data);
    if (!this.#isPongUnsent) this.#sendPong(this.#ping);
  }

  #sendPong(data: Buffer): void {
    this.#ping = undefined;
    this.#isPongUnsent = true;
    this.ws.pong(data, false, (error?: Error) => {
      this.#isPongUnsent = false;
      if (!error && this.#ping !== undefined) this.#sendPong(this.#ping);
    });
  }

  override cork(): void {
    this.socket.cork();
  }

  override uncork(): void {
    this.socket.uncork();
  }

  override onceDrained(listener: () => void): void {
    this.socket.once('drain', () => {
      // A reader that reads is there, however long its pong takes.
      this.missedPongs = 0;
      listener();
    });
  }

  override closeTooSlow(): void {
    this.closeWithError(CLOSE_CODES.tooSlow, 'too_slow', 'The reader is too slow');
  }

  closeWithError(code: number, error: string, detail: string): void {
    if (this.status === 'closed') return;
    if (this.ws.readyState === this.ws.OPEN) {
      this.socket.write(webSocketFrame(errorText(undefined, error, detail)));
    }
    this.close(code, error);
  }

  close(code: number, reason: string): void {
    if (this.status === 'closed') return;
    this.status = 'closed';
    countClosed(this.#counters, code);
    this.ws.close(code, reason);
  }
}
