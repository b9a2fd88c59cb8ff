import { connect, type Socket } from 'node:net';

/** What came back over a connection until it was closed, and how long that took. */
interface Exchange {
  readonly text: string;
  readonly closedMs: number;
}

interface RawCall {
  readonly port: number;
  /** Sent at once. */
  readonly bytes: string;
  /** Called when connected, to send more. Returns what stops it. */
  readonly drip?: (socket: Socket) => () => void;
}

/** Sends bytes as they are and listens until the other side closes. A reset is an end like any other. */
export function exchangeRaw({ port, bytes, drip }: RawCall): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let text = '';
    let stop = () => {};
    const socket = connect(port, '127.0.0.1', () => {
      if (bytes !== '') socket.write(bytes, 'latin1');
      stop = drip?.(socket) ?? stop;
    });
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      stop();
      resolve({ text, closedMs: performance.now() - startedMs });
    });
  });
}

export function statusesIn(text: string): readonly number[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}

/** A drip that sends the same over and over, as fast as it is taken. */
export function pouring(more: string): (socket: Socket) => () => void {
  return (socket) => {
    let isOver = false;
    const writeLines = () => {
      while (!isOver && more !== '' && socket.writable && socket.write(more, 'latin1'));
    };
    socket.on('drain', writeLines);
    writeLines();
    return () => {
      isOver = true;
    };
  };
}
