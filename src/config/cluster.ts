import type { Fault } from '../errors.ts';
import { envOf } from './settings.ts';

/** How this process is one of several machines. */
export interface ClusterConfig {
  /** `engine` leads its shard or stands by; `edge` serves readers of all shards. */
  readonly role: 'engine' | 'edge';
  /** Addresses of NATS servers, separated by commas. */
  readonly servers: string;
  /** The shard of an engine. */
  readonly shard: string;
  /** The shard that keeps callers; undefined: the first that is led. */
  readonly callersShard: string | undefined;
  /** Copies of each stream at the servers. */
  readonly replicas: number;
  /** How the process proves to the servers who it is, by the names of the variables. */
  readonly credentials: Readonly<Record<string, string>>;
}

type Role = 'all' | 'engine' | 'edge';

interface ClusterValues {
  readonly role: Role;
  readonly bus: string;
  readonly shard: string;
  readonly callersShard: string;
  readonly busReplicas: number;
  readonly world: string;
}

/** Read from the environment alone, where no list of processes and no file shows them. */
export const CREDENTIALS = ['CREDS', 'NKEY', 'TOKEN', 'USER', 'PASSWORD', 'CA', 'CERT', 'KEY'].map(
  (name) => `${envOf('bus')}_${name}`,
);

export function toCluster(
  values: ClusterValues,
  env: Readonly<Record<string, string | undefined>>,
): ClusterConfig | null {
  const { role, bus, shard, callersShard, busReplicas } = values;
  if (bus === '') return null;
  const given = CREDENTIALS.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return {
    role: role === 'edge' ? 'edge' : 'engine',
    servers: bus,
    shard,
    callersShard: callersShard === '' ? undefined : callersShard,
    replicas: busReplicas,
    credentials: Object.fromEntries(given),
  };
}

/** Faults of values that do not fit each other. `nameOf` tells where a value was given. */
export function clusterFaults(values: ClusterValues, nameOf: (key: 'role' | 'world') => string): Fault[] {
  const { role, bus, world } = values;
  if (bus === '' && role !== 'all') {
    const msg = `expected all, as a process that is only an ${role} needs the others: name their bus with --bus`;
    return [{ loc: [nameOf('role')], msg, type: 'value' }];
  }
  if (bus !== '' && role !== 'edge' && world === 'embedded') {
    const msg =
      'expected live or the address of a `tallywire world`, as all engines on a bus read the same world';
    return [{ loc: [nameOf('world')], msg, type: 'value' }];
  }
  return [];
}
