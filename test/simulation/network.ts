import type { Server } from 'node:http';
import type { Chance } from './chance.ts';
import type { Kernel, Owner } from './kernel.ts';
import { SimulatedSocket, type Wire } from './simulated-socket.ts';

interface Listening {
  readonly server: Server;
  readonly owner: Owner;
}

interface Connection {
  readonly client: SimulatedSocket;
  readonly server: SimulatedSocket;
}

export interface Network {
  /** As `Listen` of the service: the server takes connections until it is closed or its owner is killed. */
  listen(server: Server, port: number, host: string): Promise<string>;
  /** A connection of the present owner, or of a source of its. It is refused where nobody listens. */
  connect(host: string, port: number, source?: string): SimulatedSocket;
  /** The open connections to servers of an owner. */
  connectionsTo(owner: Owner): readonly Connection[];
  /** Called with the near end of every connection that is begun, and the host it is to go to, before anybody has it. */
  onConnect: (client: SimulatedSocket, host: string) => void;
  /** Called with every connection that a server accepts, before the server is. */
  onAccept: (connection: Connection) => void;
  /** To be called when the owner is killed: nobody listens there, and all of its connections are reset. */
  kill(owner: Owner): void;
}

const LEAST_MS = 1;
const SPREAD_MS = 30;
const FIRST_FREE_PORT = 40_000;

function ignoreError(): void {}

/** Connects simulated servers and their clients. */
export function createNetwork(kernel: Kernel, chance: Chance): Network {
  const listening = new Map<string, Listening>();
  const open = new Set<Connection>();
  const wire: Wire = { kernel, latencyMs: () => LEAST_MS + chance() * SPREAD_MS };
  let freePort = FIRST_FREE_PORT;

  function accept({ server: end, client }: Connection, name: string): void {
    const place = listening.get(name);
    if (end.destroyed) return;
    if (place === undefined || place.owner !== end.simulatedOwner) {
      client.refuse();
      return;
    }
    end.off('error', ignoreError);
    kernel.as(client.simulatedOwner, () => client.emit('connect'));
    network.onAccept({ client, server: end });
    place.server.emit('connection', end);
  }

  const network: Network = {
    onConnect: () => undefined,
    onAccept: () => undefined,
    async listen(server, port, host) {
      const taken = port === 0 ? freePort++ : port;
      const name = `${host}:${taken}`;
      listening.set(name, { server, owner: kernel.owner });
      server.once('close', () => {
        if (listening.get(name)?.server === server) listening.delete(name);
      });
      return `http://${name}`;
    },
    connect(host, port, source) {
      const name = `${host}:${port}`;
      const place = listening.get(name);
      const remote = { address: host, port };
      const client = new SimulatedSocket({ wire, owner: kernel.owner, remote, source });
      network.onConnect(client, host);
      if (place === undefined) {
        client.refuse();
        return client;
      }
      const caller = { address: '127.0.0.1', port: freePort++ };
      const server = new SimulatedSocket({ wire, owner: place.owner, remote: caller });
      const connection = { client, server };
      // Until a server has accepted it, nobody learns what becomes of this end.
      server.on('error', ignoreError);
      const openMs = wire.latencyMs();
      SimulatedSocket.join(client, server, openMs);
      open.add(connection);
      const forget = () => {
        if (client.destroyed && server.destroyed) open.delete(connection);
      };
      client.once('close', forget);
      server.once('close', forget);
      kernel.schedule(openMs, () => accept(connection, name), place.owner);
      return client;
    },
    connectionsTo: (owner) => [...open].filter(({ server }) => server.simulatedOwner === owner),
    kill(owner) {
      for (const [name, place] of listening) if (place.owner === owner) listening.delete(name);
      for (const connection of open) {
        const { client, server } = connection;
        if (server.simulatedOwner === owner) client.resetByPeer();
        else if (client.simulatedOwner === owner) server.resetByPeer();
        else continue;
        open.delete(connection);
      }
    },
  };
  return network;
}
