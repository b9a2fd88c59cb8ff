import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress, type Proxies } from '../access/client-address.ts';
import { refuseConnection, TOO_MANY_CONNECTIONS } from './refuse-connection.ts';

interface ConnectionLimits {
  readonly maxConnectionsPerAddress: number;
  readonly proxies: Proxies;
}

/** Refuses connections of an address that has too many. Those of a trusted proxy are not counted. */
export function limitConnections(
  server: Server,
  { maxConnectionsPerAddress, proxies }: ConnectionLimits,
): void {
  const held = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (proxies.trusts(peer)) return;
    const address = callerAddress(peer);
    const count = (held.get(address) ?? 0) + 1;
    held.set(address, count);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left === 0) held.delete(address);
      else held.set(address, left);
    });
    if (count > maxConnectionsPerAddress) refuseConnection(TOO_MANY_CONNECTIONS, socket);
  });
}
