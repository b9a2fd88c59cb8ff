import {
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { BusError } from '../bus-error.ts';
import type { StreamSpec } from '../transport.ts';

/** The version of subjects, ids and bodies. */
const LAYOUT = 1;
/** Long enough for every reader that is slow or was restarted; whoever comes later takes a snapshot. */
const LOG_KEPT_MS = 2 * 3_600_000;
const IDS_KEPT_MS = 120_000;

/**
 * Names at the servers. The streams of values are laid out as the key-value buckets that the tools of NATS know, so that
 * an operator can look into them.
 */
export function namesOf({ name, kind }: StreamSpec): { readonly stream: string; readonly prefix: string } {
  if (kind === 'log') return { stream: `TALLYWIRE_${name}`, prefix: `tallywire.${name}.` };
  const bucket = `tallywire_${name}`;
  return { stream: `KV_${bucket}`, prefix: `$KV.${bucket}.` };
}

/** Says whose a stream is. A description is kept by servers of every version. */
function describe({ cluster }: StreamSpec): string {
  const layout = `tallywire layout=${LAYOUT}`;
  return cluster === undefined ? layout : `${layout} cluster=${cluster}`;
}

export function configOf(
  spec: StreamSpec,
  replicas: number,
): Partial<StreamConfig> & { readonly name: string } {
  const { stream, prefix } = namesOf(spec);
  const both = {
    name: stream,
    description: describe(spec),
    subjects: [`${prefix}>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    duplicate_window: nanos(IDS_KEPT_MS),
    deny_delete: true,
    compression: StoreCompression.S2,
  };
  if (spec.kind === 'log') return { ...both, discard: DiscardPolicy.Old, max_age: nanos(LOG_KEPT_MS) };
  return {
    ...both,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    allow_direct: true,
  };
}

/** Refuses a stream that is not the one meant. A server drops settings that it does not know, so they are read back. */
export function checkStream(spec: StreamSpec, found: StreamConfig, replicas: number | undefined): void {
  const { stream, prefix } = namesOf(spec);
  const [, layout, cluster] =
    /^tallywire layout=(\d+)(?: cluster=(\S+))?$/.exec(found.description ?? '') ?? [];
  if (layout === undefined) {
    throw new BusError('BUS_LAYOUT', `the stream ${stream} at the NATS server was not made by this program`);
  }
  if (Number(layout) !== LAYOUT) {
    throw new BusError(
      'BUS_LAYOUT',
      `the stream ${stream} has layout ${layout}, and this version of the program reads layout ${LAYOUT}`,
    );
  }
  if (cluster !== spec.cluster) {
    throw new BusError(
      'BUS_OTHER_CLUSTER',
      `the stream ${stream} belongs to the cluster with epoch ${cluster}, and the bus to the one with epoch ${spec.cluster}`,
    );
  }
  const isAsMeant =
    found.subjects.length === 1 &&
    found.subjects[0] === `${prefix}>` &&
    found.storage === StorageType.File &&
    found.retention === RetentionPolicy.Limits &&
    (spec.kind === 'log' ? (found.max_msgs_per_subject ?? -1) <= 0 : found.max_msgs_per_subject === 1);
  if (!isAsMeant) {
    throw new BusError('BUS_LAYOUT', `the settings of the stream ${stream} were changed at the NATS server`);
  }
  if (replicas !== undefined && found.num_replicas < replicas) {
    throw new BusError(
      'BUS_REPLICAS',
      `the stream ${stream} has ${found.num_replicas} of the ${replicas} replicas that are asked for`,
    );
  }
}
