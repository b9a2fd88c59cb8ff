import type { ServerReport, StreamReport } from '../../bus/inspection.ts';
import type { Member } from '../entries/member.ts';

export interface ShardStatus {
  readonly name: string;
  readonly accounts: readonly string[];
  /** The name of the member that leads, or of the process if it told nothing of itself; null: nobody leads. */
  readonly leader: string | null;
  /** Of the last leader; 0 if there never was one. */
  readonly term: number;
  /** Ms since the lease was renewed; null if there never was one or it was released. */
  readonly renewedMs: number | null;
  /** The end of its stream. */
  readonly place: number;
  /** The end of the leader's log, as it told last. */
  readonly seq: number | null;
}

export interface FollowedStatus {
  readonly shard: string;
  /** The last place of its stream that the member has applied. */
  readonly place: number;
  /** How many messages it had not applied when it told of itself; of a silent one, has not by now. */
  readonly behindPlaces: number;
  /** Ms since it was last known to have applied everything; null if it never was. */
  readonly lagMs: number | null;
}

export interface MemberStatus
  extends Pick<
    Member,
    'role' | 'state' | 'host' | 'term' | 'version' | 'graphVersion' | 'seq' | 'digest' | 'alarm'
  > {
  readonly name: string;
  /** Ms since it told of itself. */
  readonly heardMs: number;
  readonly isSilent: boolean;
  /** What it leads or follows. */
  readonly shards: readonly FollowedStatus[];
}

export interface ClusterStatus {
  readonly epoch: string;
  /** The server that was asked. */
  readonly address: string;
  /** UTC ms by the clock of the servers. */
  readonly at: number;
  readonly servers: readonly ServerReport[];
  readonly streams: readonly StreamReport[];
  readonly shards: readonly ShardStatus[];
  readonly members: readonly MemberStatus[];
  /** What an operator has to look at, a sentence each. */
  readonly warnings: readonly string[];
}
