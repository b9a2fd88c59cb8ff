import type { ClusterStatus, MemberStatus } from './cluster-status.ts';

/** An edge that is further behind is not ready, and a standby would take long to take over. */
const BEHIND_AFTER_MS = 5_000;

/** What an operator has to look at, a sentence each. */
export function warningsOf(
  status: Pick<ClusterStatus, 'servers' | 'streams' | 'shards' | 'members'>,
): readonly string[] {
  const { servers, streams, shards, members } = status;
  return [
    ...servers.flatMap(({ name, version, isOld, syncsEveryWrite }) => [
      ...(isOld ? [`the server ${name} has version ${version}, which is too old`] : []),
      ...(syncsEveryWrite === false
        ? [
            `the server ${name} acknowledges what is not on its disk yet: set sync_interval to always in its configuration`,
          ]
        : []),
    ]),
    ...streams.flatMap(({ name, copies, currentCopies, leader }) =>
      currentCopies < copies
        ? [
            `${currentCopies} of the ${copies} copies of the stream ${name} are current${leader === null ? ', and no server leads it' : ''}`,
          ]
        : [],
    ),
    ...shards.flatMap(({ name, leader, term, renewedMs }) =>
      leader === null ? [unled(name, term, renewedMs)] : [],
    ),
    ...members.flatMap(ofMember),
    ...differingLogs(members),
  ];
}

function unled(shard: string, term: number, renewedMs: number | null): string {
  if (term === 0) return `the shard ${shard} was never led`;
  const since = renewedMs === null ? 'its last leader stopped in order' : `silent for ${seconds(renewedMs)}`;
  return `no engine leads the shard ${shard}: term ${term}, ${since}`;
}

function ofMember({ name, host, role, heardMs, isSilent, alarm, shards }: MemberStatus): readonly string[] {
  const who = `the ${role} ${name} on ${host}`;
  if (isSilent) return [`${who} was last heard of ${seconds(heardMs)} ago`];
  const behind = shards.filter(({ lagMs }) => lagMs !== null && lagMs > BEHIND_AFTER_MS);
  return [
    ...(alarm === null ? [] : [`${who}: ${alarm}`]),
    ...behind.map(({ shard, lagMs }) => `${who} is ${seconds(lagMs ?? 0)} behind the shard ${shard}`),
  ];
}

/** Engines of one shard whose logs end alike have the same digest. */
function differingLogs(members: readonly MemberStatus[]): readonly string[] {
  const first = new Map<string, MemberStatus>();
  return members.flatMap((member) => {
    const { name, seq, digest } = member;
    const shard = member.shards[0]?.shard;
    if (shard === undefined || seq === null || digest === null) return [];
    const other = first.get(`${shard} ${seq}`);
    if (other === undefined) first.set(`${shard} ${seq}`, member);
    if (other === undefined || other.digest === digest) return [];
    return [
      `the logs of ${other.name} and ${name} differ, though both end at seq ${seq} of the shard ${shard}`,
    ];
  });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
