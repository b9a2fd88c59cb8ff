import { checkName } from './names.ts';

/** Names of the streams of a cluster, which every messaging system writes in its own way. */
export const VALUES_STREAM = 'values';
export const SNAPSHOTS_STREAM = 'snapshots';

export function shardStreamName(shard: string): string {
  return `shard_${checkName(shard)}`;
}
