import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on which everything that the server says arrives later. */
export interface LateProxy {
  readonly port: number;
  close(): Promise<void>;
}

export async function openLateProxy(target: { readonly port: number }, lateMs: number): Promise<LateProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target.port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), lateMs));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return {
    port: address.port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
