import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a reader and the engine, and breaks what passes. */
export interface CuttingProxy {
  readonly url: string;
  /** Where connections go from now on; undefined: nowhere. */
  aim(engineUrl: string | undefined): void;
  /** Cuts every connection after so many more bytes to the reader, in the middle of whatever they are of. */
  cutAfter(bytes: number): void;
  cutNow(): void;
  /** Reads nothing from the engine until `resume`. */
  stall(): void;
  resume(): void;
  readonly cuts: number;
  close(): Promise<void>;
}

interface Pair {
  readonly down: Socket;
  readonly up: Socket;
  /** Bytes still let through; undefined: all. */
  left: number | undefined;
}

export async function openCuttingProxy(): Promise<CuttingProxy> {
  const pairs = new Set<Pair>();
  let port: number | undefined;
  let cuts = 0;

  function end(pair: Pair): void {
    if (!pairs.delete(pair)) return;
    pair.down.destroy();
    pair.up.destroy();
  }

  function cut(pair: Pair): void {
    cuts += 1;
    end(pair);
  }

  function pass(pair: Pair, bytes: Buffer): void {
    const { down, left } = pair;
    if (left === undefined) {
      down.write(bytes);
      return;
    }
    pair.left = left - bytes.length;
    down.write(bytes.subarray(0, left), () => {
      if ((pair.left ?? 1) <= 0) cut(pair);
    });
  }

  const server = createServer((down) => {
    down.on('error', () => undefined);
    if (port === undefined) {
      down.destroy();
      return;
    }
    const up = connect(port, '127.0.0.1');
    const pair: Pair = { down, up, left: undefined };
    pairs.add(pair);
    up.on('error', () => undefined);
    up.on('data', (bytes) => pass(pair, bytes));
    down.on('data', (bytes) => up.write(bytes));
    for (const socket of [up, down]) socket.on('close', () => end(pair));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${ownPort}`,
    aim(engineUrl) {
      port = engineUrl === undefined ? undefined : Number(new URL(engineUrl).port);
    },
    cutAfter(bytes) {
      for (const pair of pairs) pair.left = bytes;
    },
    cutNow() {
      for (const pair of [...pairs]) cut(pair);
    },
    stall() {
      for (const { up } of pairs) up.pause();
    },
    resume() {
      for (const { up } of pairs) up.resume();
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const pair of [...pairs]) end(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
