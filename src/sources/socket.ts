import { Observable } from 'rxjs';
import { WebSocket } from 'ws';
import { SourceError } from '../errors.ts';
import { retryAfterMs } from '../resilience/retry-after.ts';

type SocketEvent =
  | { readonly type: 'open'; readonly send: (text: string) => void }
  /** `text` is null for a binary frame, which none of our providers sends. */
  | { readonly type: 'frame'; readonly text: string | null };

export interface SocketOptions {
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** A first dump of 400 books is a few MB. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/**
 * A WebSocket that is open while subscribed. It never completes: refusal, loss and close, also an orderly
 * one, are SourceErrors. Unsubscribing ends the connection at once, in whatever state it is.
 */
export function openSocket(url: string, { userAgent, timeoutMs }: SocketOptions): Observable<SocketEvent> {
  return new Observable((subscriber) => {
    const { pathname } = new URL(url);
    const socket = new WebSocket(url, {
      handshakeTimeout: timeoutMs,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      headers: { 'user-agent': userAgent },
    });
    socket.on('open', () => subscriber.next({ type: 'open', send: (text) => socket.send(text) }));
    socket.on('message', (data, isBinary) => {
      subscriber.next({ type: 'frame', text: isBinary ? null : data.toString() });
    });
    socket.on('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0;
      const headers = { get: (name: string) => [response.headers[name]].flat()[0] ?? null };
      request.destroy();
      subscriber.error(
        new SourceError('SOURCE_STATUS', `${pathname} answered ${status}, expected a socket`, {
          status,
          retryAfterMs: retryAfterMs(status, headers, Date.now()),
        }),
      );
    });
    // Stays attached after the end: ws also reports, as an error, that we gave up while it was connecting.
    socket.on('error', (cause) => {
      subscriber.error(new SourceError('SOURCE_NETWORK', `the socket of ${pathname} failed`, { cause }));
    });
    socket.on('close', (code) => {
      subscriber.error(
        new SourceError('SOURCE_NETWORK', `the socket of ${pathname} was closed with ${code}`),
      );
    });
    return () => socket.terminate();
  });
}

/**
 * The JSON of a text frame, or why it is refused: it is cut short or binary. Undefined for plain text such as
 * `PONG`, which carries no data.
 */
export function frameJson(
  text: string | null,
): { readonly value: unknown } | { readonly reason: string } | undefined {
  const refusal = { reason: 'neither JSON nor plain text' };
  if (text === null) return refusal;
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return refusal;
    throw error;
  }
}
