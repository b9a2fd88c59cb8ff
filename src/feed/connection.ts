import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Tier } from '../access/tiers.ts';
import { CLOSE_CODES } from '../contract/feed.ts';
import { toWire } from './frames.ts';
import { createReader, type Pipe, type Reader } from './reader.ts';
import { errorText } from './replies.ts';

/** One WebSocket. It has no timer of its own: all are looked at in turns. */
export interface Connection {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly reader: Reader;
  /** Of the request it began with, what tells who it is. */
  readonly headers: IncomingMessage['headers'];
  tier: Tier;
  keyId: string | null;
  hasSubscribed: boolean;
  /** Malformed messages so far. */
  faults: number;
  /** Messages it may send at once, as of `tokensAt`. */
  tokens: number;
  tokensAt: number;
  readonly openedAt: number;
  pingAt: number;
  checkAt: number;
  missedPongs: number;
  /** Gives back its places. */
  readonly releases: (() => void)[];
  /** Told with which code it was closed. */
  readonly closed: (code: number) => void;
}

export function connectionOf(
  fields: Omit<Connection, 'reader' | 'hasSubscribed' | 'faults' | 'missedPongs' | 'releases'>,
): Connection {
  const { ws, socket } = fields;
  const pipe: Pipe = {
    unsentBytes: () => socket.writableLength,
    // Past the library, which writes whole frames too: what goes to many is framed once.
    write(parcel) {
      if (ws.readyState === ws.OPEN) socket.write(parcel.wire());
    },
    hold: () => socket.cork(),
    release: () => socket.uncork(),
    dropSlow: () => closeConnection(connection, CLOSE_CODES.tooSlow, 'too_slow', 'The reader is too slow'),
  };
  const connection: Connection = {
    ...fields,
    reader: createReader(pipe),
    hasSubscribed: false,
    faults: 0,
    missedPongs: 0,
    releases: [],
  };
  return connection;
}

/** Says something to this one alone. */
export function say({ ws, socket }: Connection, text: string): void {
  if (ws.readyState === ws.OPEN) socket.write(toWire(text));
}

/** Says why, then closes. */
export function closeConnection(connection: Connection, code: number, error: string, detail: string): void {
  if (connection.reader.isClosed) return;
  say(connection, errorText(undefined, error, detail));
  end(connection, code, error);
}

export function end({ ws, reader, closed }: Connection, code: number, reason: string): void {
  if (reader.isClosed) return;
  reader.isClosed = true;
  closed(code);
  ws.close(code, reason);
}
