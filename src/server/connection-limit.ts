import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress, type Proxies } from '../access/client-address.ts';
import { createHeld } from '../access/limits/held.ts';
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
  const held = createHeld();
  server.prependListener('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (proxies.trusts(peer)) return;
    const address = callerAddress(peer);
    socket.on('close', held.add(address));
    if (held.of(address) > maxConnectionsPerAddress) refuseConnection(TOO_MANY_CONNECTIONS, socket);
  });
}
