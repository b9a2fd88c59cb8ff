import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** `data` keeps answering pings, `all` does not even do that. */
export type Silence = 'none' | 'data' | 'all';

/** A WebSocket server whose connections can be dropped and silenced. */
export interface WorldSocket {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): void;
  /** Sends what is due, at once. */
  pump(): void;
  /** Ends every connection without a close handshake. */
  drop(): void;
  silence(mode: Silence): void;
  /** Sends a text to every connection, whatever the silence. */
  say(text: string): void;
  connections(): number;
  close(): void;
}

interface WorldSocketOptions<Reader> {
  readonly periodMs: number;
  /** Runs each period, whatever the silence. */
  readonly onPeriod: () => void;
  readonly pump: () => void;
  readonly open: (socket: WebSocket, request: IncomingMessage, path: string) => Reader;
  readonly receive: (reader: Reader, text: string) => void;
}

/** `readers` is the set of open connections; it is filled and emptied here. */
export function createWorldSocket<Reader extends { readonly socket: WebSocket }>(
  readers: Set<Reader>,
  { periodMs, onPeriod, pump, open, receive }: WorldSocketOptions<Reader>,
): Omit<WorldSocket, 'silence'> {
  const server = new WebSocketServer({ noServer: true });
  const timer = setInterval(onPeriod, periodMs);
  const drop = (): void => {
    for (const { socket } of readers) socket.terminate();
  };
  return {
    accept(request, socket, head, path) {
      server.handleUpgrade(request, socket, head, (connection) => {
        const reader = open(connection, request, path);
        readers.add(reader);
        connection.on('message', (data) => receive(reader, String(data)));
        connection.on('close', () => readers.delete(reader));
        connection.on('error', () => connection.terminate());
      });
    },
    pump,
    drop,
    say(text) {
      for (const { socket } of readers) socket.send(text);
    },
    connections: () => readers.size,
    close() {
      clearInterval(timer);
      drop();
      server.close();
    },
  };
}
