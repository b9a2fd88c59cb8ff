import { type JetStreamManager, jetstreamManager, type StoredMsg, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { BusError } from '../bus-error.ts';
import { SNAPSHOTS_STREAM, shardStreamName, VALUES_STREAM } from '../bus-streams.ts';
import type { Inspection, StreamReport } from '../inspection.ts';
import { decodeLease } from '../lease-rules.ts';
import { checkName } from '../names.ts';
import type { StreamSpec } from '../transport.ts';
import { API_WITHIN_MS, type NatsOptions, openConnection } from './connect.ts';
import { API, apiCode, isUnheard, noJetStreamError, toBusError } from './failures.ts';
import { reportServers } from './server-reports.ts';
import { isOldServer, oldServerError } from './server-version.ts';
import { checkStream, namesOf } from './stream-config.ts';

type InspectionOptions = Pick<NatsOptions, 'servers' | 'env' | 'name'>;

/** Looks at the cluster that the NATS servers hold. */
export async function inspectNats(options: InspectionOptions): Promise<Inspection> {
  const connection = await openConnection(options);
  try {
    const version = connection.info?.version ?? 'unknown';
    if (isOldServer(version)) throw oldServerError(version);
    const jsm = await jetstreamManager(connection, { timeout: API_WITHIN_MS, checkAPI: false });
    return await createInspection(connection, jsm);
  } catch (error) {
    await connection.close();
    throw toBusError(error, 'looking at the cluster');
  }
}

async function createInspection(connection: NatsConnection, jsm: JetStreamManager): Promise<Inspection> {
  /** Undefined if there is none. */
  const infoOf = async (spec: StreamSpec, filter?: string): Promise<StreamInfo | undefined> => {
    const { stream } = namesOf(spec);
    try {
      const found = await jsm.streams.info(stream, filter === undefined ? {} : { subjects_filter: filter });
      checkStream(spec, found.config, undefined);
      return found;
    } catch (error) {
      if (apiCode(error) === API.noStream) return undefined;
      if (isUnheard(error)) throw noJetStreamError(error);
      throw toBusError(error, `asking for the stream ${stream}`);
    }
  };

  const messageOf = async (
    spec: StreamSpec,
    query: { readonly seq: number } | { readonly last_by_subj: string },
  ): Promise<StoredMsg | undefined> => {
    const { stream } = namesOf(spec);
    try {
      return (await jsm.streams.getMessage(stream, query)) ?? undefined;
    } catch (error) {
      throw toBusError(error, `reading the stream ${stream}`);
    }
  };

  const values: StreamSpec = { name: VALUES_STREAM, kind: 'values', cluster: undefined };
  const newest = (key: string) => messageOf(values, { last_by_subj: namesOf(values).prefix + key });
  const isBegun = (await infoOf(values)) !== undefined;
  const epoch = isBegun ? (await newest('epoch'))?.string() : undefined;
  if (epoch === undefined) throw new BusError('BUS_EMPTY', 'no engine has begun a cluster on this bus yet');
  const snapshots: StreamSpec = { name: SNAPSHOTS_STREAM, kind: 'values', cluster: epoch };
  const specOf = (shard: string): StreamSpec => ({
    name: shardStreamName(shard),
    kind: 'log',
    cluster: epoch,
  });

  return {
    epoch,
    address: connection.getServer(),
    servers: () => reportServers(connection),
    async commonStreams() {
      const found = await Promise.all([infoOf(values), infoOf(snapshots)]);
      return found.flatMap((info) => (info === undefined ? [] : [toReport(info)]));
    },
    async shardStream(shard) {
      const info = await infoOf(specOf(shard));
      return info && toReport(info);
    },
    async values(area) {
      const prefix = `${namesOf(values).prefix}${area}.`;
      const info = await infoOf(values, `${prefix}>`);
      const keys = Object.keys(info?.state.subjects ?? {}).sort();
      const found = await Promise.all(keys.map((key) => messageOf(values, { last_by_subj: key })));
      // An empty value was removed.
      return found.flatMap((message) =>
        message === undefined || message.data.length === 0
          ? []
          : [
              {
                name: message.subject.slice(prefix.length),
                bytes: message.data,
                storedAt: message.time.getTime(),
              },
            ],
      );
    },
    async lease(shard) {
      const message = await newest(`lease.${checkName(shard)}`);
      if (message === undefined) return undefined;
      const { owner, term } = decodeLease(message.data);
      return { owner, term, storedAt: message.time.getTime() };
    },
    async storedAt(shard, place) {
      const message = await messageOf(specOf(shard), { seq: place });
      return message?.time.getTime();
    },
    close: () => connection.close(),
  };
}

function toReport({ config, state, cluster, ts }: StreamInfo): StreamReport {
  const others = cluster?.replicas ?? [];
  const leads = cluster === undefined || cluster.leader !== undefined;
  return {
    name: config.name,
    first: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
    last: state.last_seq,
    bytes: state.bytes,
    copies: config.num_replicas,
    currentCopies: Number(leads) + others.filter(({ current, offline }) => current && !offline).length,
    leader: cluster?.leader ?? null,
    at: ts === undefined ? Date.now() : Date.parse(ts),
  };
}
