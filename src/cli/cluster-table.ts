import type { ClusterStatus, MemberStatus, ShardStatus } from '../cluster/status/cluster-status.ts';
import { firstNames } from '../contract/first-names.ts';
import { textTable } from './table.ts';

const SERVERS = ['SERVER', 'VERSION', 'SYNCS EVERY WRITE'];
const STREAMS = ['STREAM', 'COPIES', 'CURRENT', 'LED BY', 'FROM', 'TO', 'MB'];
const SHARDS = ['SHARD', 'LEADER', 'TERM', 'RENEWED', 'PLACE', 'SEQ', 'ACCOUNTS'];
const MEMBERS = ['MEMBER', 'HOST', 'STATE', 'SHARD', 'PLACE', 'BEHIND', 'LAG', 'HEARD', 'VERSION'];

const ACCOUNTS_SHOWN = 4;

/** Tables under each other; `-` stands for nothing. */
export function clusterTable(status: ClusterStatus): string {
  const { epoch, address, servers, streams, shards, members, warnings } = status;
  const serverRows = servers.map(({ name, version, syncsEveryWrite: syncs }) => [
    name,
    version,
    syncs === null ? 'not told by the server' : syncs ? 'yes' : 'no',
  ]);
  const streamRows = streams.map(({ name, copies, currentCopies, leader, first, last, bytes }) => [
    name,
    String(copies),
    String(currentCopies),
    leader ?? '-',
    String(first),
    String(last),
    (bytes / 1e6).toFixed(1),
  ]);
  return [
    `cluster ${epoch}, asked at ${address}\n`,
    textTable([SERVERS, ...serverRows]),
    textTable([STREAMS, ...streamRows]),
    shards.length === 0 ? 'There are no shards yet.\n' : textTable([SHARDS, ...shards.map(shardCells)]),
    members.length === 0
      ? 'No member tells of itself.\n'
      : textTable([MEMBERS, ...members.flatMap(memberRows)]),
    warnings.length === 0
      ? 'Nothing needs a look.\n'
      : `To look at:\n${warnings.map((each) => `  ${each}\n`).join('')}`,
  ].join('\n');
}

function shardCells({ name, leader, term, renewedMs, place, seq, accounts }: ShardStatus): readonly string[] {
  return [
    name,
    leader ?? 'nobody',
    term === 0 ? '-' : String(term),
    renewedMs === null ? '-' : ago(renewedMs),
    String(place),
    seq === null ? '-' : String(seq),
    firstNames(accounts, ACCOUNTS_SHOWN) || '-',
  ];
}

/** A row for each shard that the member leads or follows. */
function memberRows(member: MemberStatus): readonly (readonly string[])[] {
  const { name, host, state, alarm, heardMs, isSilent, shards, version } = member;
  const does = isSilent ? `${state}, silent` : alarm === null ? state : `${state}, alarm`;
  const rows = shards.map(({ shard, place, behindPlaces, lagMs }) => [
    shard,
    String(place),
    state === 'leader' ? '-' : String(behindPlaces),
    state === 'leader' || lagMs === null ? '-' : `${Math.round(lagMs)} ms`,
  ]);
  const all = rows.length === 0 ? [['-', '-', '-', '-']] : rows;
  return all.map((cells) => [name, host, does, ...cells, ago(heardMs), version]);
}

function ago(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s ago`;
}
