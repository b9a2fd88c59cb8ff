import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JetStreamManager, jetstream, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { messageOf } from '../../errors.ts';
import { BusError } from '../bus-error.ts';
import type { Stream, StreamSpec, Transport } from '../transport.ts';
import { parseAddresses } from './addresses.ts';
import { readCredentials } from './credentials.ts';
import { API, apiCode, isUnheard, noJetStreamError, toBusError } from './failures.ts';
import { createNatsRequests } from './nats-requests.ts';
import { createNatsStream, PUBLISH_WITHIN_MS, type Session } from './nats-stream.ts';
import { isOldServer, oldServerError } from './server-version.ts';
import { checkStream, configOf, namesOf } from './stream-config.ts';

const CONNECT_WITHIN_MS = 5_000;
export const API_WITHIN_MS = 2_000;
const RECONNECT_EVERY_MS = 100;
/**
 * A connection on which nothing answers is given up after two to three times this. With the next one, that may be tried
 * with the same frozen server, it must take less time than other servers need to replace it and a standby to take over.
 */
const PING_EVERY_MS = 1_000;
const RECONNECT_WITHIN_MS = 3_000;
const LARGEST_BODY = 512 * 1_024;
/** What headers and subject may take of a message. */
const HEADERS_BYTES = 4_096;

export interface NatsOptions {
  /** Addresses, separated by commas. */
  readonly servers: string;
  /** Where credentials come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shown in the lists of connections of the servers. */
  readonly name: string;
  /** An engine makes streams, with so many copies of each, and refuses old servers; an edge only warns of them. */
  readonly role: { readonly type: 'engine'; readonly replicas: number } | { readonly type: 'edge' };
  /** Trouble that passes or is tolerated. */
  readonly report: (error: unknown) => void;
}

export async function connectNats(options: NatsOptions): Promise<Transport> {
  const connection = await openConnection(options);
  try {
    checkVersion(connection, options);
    // Whether there are streams at all shows with the first one, in words of ours.
    const jsm = await jetstreamManager(connection, { timeout: API_WITHIN_MS, checkAPI: false });
    const reading = await jetstreamManager(connection, { timeout: PUBLISH_WITHIN_MS, checkAPI: false });
    return createTransport(connection, jsm, reading, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function openConnection({
  servers: text,
  env,
  name,
}: Pick<NatsOptions, 'servers' | 'env' | 'name'>): Promise<NatsConnection> {
  const { servers, isSecure } = parseAddresses(text);
  const { authenticator, tls } = readCredentials(env);
  const options: NodeConnectionOptions = {
    servers: [...servers],
    name,
    timeout: CONNECT_WITHIN_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: RECONNECT_EVERY_MS,
    reconnectJitterTLS: RECONNECT_EVERY_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    ...(authenticator && { authenticator }),
    ...(tls ? { tls } : isSecure && { tls: {} }),
  };
  try {
    // Servers tell of each other, so that the client would try those of a cluster in turn for ever if each refuses it.
    const first = await connect({ ...options, ignoreClusterUpdates: true });
    await first.close();
    return await connect({ ...options, timeout: RECONNECT_WITHIN_MS });
  } catch (error) {
    const known = toBusError(error, `connecting to ${servers.join(', ')}`);
    if (known.code !== 'BUS_UNREACHABLE') throw known;
    const reason = messageOf(error);
    throw new BusError('BUS_UNREACHABLE', `no NATS server answers at ${servers.join(', ')}: ${reason}`, {
      cause: error,
    });
  }
}

function checkVersion({ info }: NatsConnection, { role, report }: NatsOptions): void {
  const version = info?.version ?? 'unknown';
  if (!isOldServer(version)) return;
  if (role.type === 'engine') throw oldServerError(version);
  report(oldServerError(version));
}

function createTransport(
  connection: NatsConnection,
  jsm: JetStreamManager,
  reading: JetStreamManager,
  { role, report }: NatsOptions,
): Transport {
  const js = jetstream(connection, { timeout: API_WITHIN_MS });
  const replicas = role.type === 'engine' ? role.replicas : undefined;
  let isConnected = true;
  let copies = 0;

  const session: Session = {
    js,
    jsm,
    reading,
    deliveries: new Set(),
    requireConnection() {
      if (!isConnected) throw new BusError('BUS_UNREACHABLE', 'there is no connection to a NATS server');
    },
  };

  const watchConnection = async (): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        isConnected = false;
        report(new BusError('BUS_UNREACHABLE', `the connection to ${status.server} is lost`));
      } else if (status.type === 'reconnect') {
        isConnected = true;
        for (const each of session.deliveries) each.stop();
        const version = connection.info?.version ?? 'unknown';
        if (isOldServer(version)) report(oldServerError(version));
      } else if (status.type === 'error') {
        report(toBusError(status.error, 'the connection'));
      }
    }
  };
  watchConnection().catch(report);

  /** Undefined if there is none. */
  const infoOf = async (name: string): Promise<StreamInfo | undefined> => {
    try {
      return await jsm.streams.info(name);
    } catch (error) {
      if (apiCode(error) === API.noStream) return undefined;
      if (isUnheard(error)) throw noJetStreamError(error);
      throw toBusError(error, `asking for the stream ${name}`);
    }
  };

  const makeStream = async (spec: StreamSpec, asked: number): Promise<void> => {
    const { stream } = namesOf(spec);
    try {
      await jsm.streams.add(configOf(spec, asked));
    } catch (error) {
      const code = apiCode(error);
      // Another engine was faster; what it made is checked like any other.
      if (code === API.nameInUse) return;
      if (code === API.subjectsOverlap) {
        throw new BusError(
          'BUS_LAYOUT',
          `the stream ${stream} cannot be made: another stream at the NATS server holds its subjects`,
          { cause: error },
        );
      }
      if (code === API.noCluster) {
        throw new BusError(
          'BUS_REPLICAS',
          `the NATS server is not part of a cluster that could hold ${asked} replicas of the stream ${stream}`,
          { cause: error },
        );
      }
      throw toBusError(error, `making the stream ${stream}`);
    }
  };

  return {
    requests: createNatsRequests(connection, session.requireConnection, report),
    largestBody: Math.min(LARGEST_BODY, (connection.info?.max_payload ?? LARGEST_BODY) - HEADERS_BYTES),
    facts: () => ({
      version: connection.info?.version ?? 'unknown',
      servers: [connection.getServer(), ...(connection.info?.connect_urls ?? [])],
      replicas: copies,
    }),
    isConnected: () => isConnected && !connection.isClosed(),
    async openStream(spec): Promise<Stream | undefined> {
      const names = namesOf(spec);
      let found = await infoOf(names.stream);
      if (found === undefined && replicas !== undefined) {
        await makeStream(spec, replicas);
        found = await infoOf(names.stream);
      }
      if (found === undefined) return undefined;
      checkStream(spec, found.config, replicas);
      copies = found.config.num_replicas;
      return createNatsStream(session, names, spec.kind === 'values');
    },
    async close() {
      isConnected = false;
      for (const each of session.deliveries) each.stop();
      // The client writes at the end of the turn what it was given in it, even into a socket that is closed by then, and
      // that would be an error nobody can catch.
      await nextTurn();
      await connection.close();
    },
  };
}
