import type { Inspection, KeptLease, KeptValue, StreamReport } from '../../bus/inspection.ts';
import { decodeMember, type Member } from '../entries/member.ts';
import { decodeRegistration } from '../entries/shard-registration.ts';
import type { ClusterStatus, FollowedStatus, MemberStatus, ShardStatus } from './cluster-status.ts';
import { warningsOf } from './warnings.ts';

/** A member that told nothing of itself for this long is silent. It tells about each second. */
const SILENT_AFTER_MS = 5_000;
/** A standby takes over after less. */
const LEASE_SILENT_AFTER_MS = 3_000;
/** After this long a silent member is taken for one that does not come back. */
const GONE_AFTER_MS = 3_600_000;

interface ShardFacts {
  readonly name: string;
  readonly accounts: readonly string[];
  readonly stream: StreamReport | undefined;
  readonly lease: KeptLease | undefined;
}

/** What is known of a cluster now. Changes nothing. */
export async function readClusterStatus(inspection: Inspection): Promise<ClusterStatus> {
  const [servers, common, registrations, told] = await Promise.all([
    inspection.servers(),
    inspection.commonStreams(),
    inspection.values('shards'),
    inspection.values('members'),
  ]);
  const facts = await Promise.all(registrations.map((value) => readShard(inspection, value)));
  const streams = [...common, ...facts.flatMap(({ stream }) => stream ?? [])];
  const at = Math.max(...streams.map((stream) => stream.at));
  const recent = told.filter(({ storedAt }) => at - storedAt < GONE_AFTER_MS);
  const members = await Promise.all(recent.map((value) => readMember(inspection, value, facts, at)));
  const shards = facts.map((each) => toShard(each, members, at));
  const known = { servers, streams, shards, members };
  return { epoch: inspection.epoch, address: inspection.address, at, ...known, warnings: warningsOf(known) };
}

async function readShard(inspection: Inspection, { name, bytes }: KeptValue): Promise<ShardFacts> {
  const [stream, lease] = await Promise.all([inspection.shardStream(name), inspection.lease(name)]);
  return { name, accounts: decodeRegistration(bytes).accounts.map(({ id }) => id), stream, lease };
}

function toShard(
  { name, accounts, stream, lease }: ShardFacts,
  members: readonly MemberStatus[],
  at: number,
): ShardStatus {
  const isHeld = lease !== undefined && lease.owner !== '';
  const renewedMs = isHeld ? Math.max(0, at - lease.storedAt) : null;
  const isLed = renewedMs !== null && renewedMs < LEASE_SILENT_AFTER_MS;
  // The owner of a lease is one process of a member.
  const leader = members.find((member) => lease?.owner.startsWith(`${member.name}-`));
  return {
    name,
    accounts,
    leader: isLed ? (leader?.name ?? lease?.owner ?? null) : null,
    term: lease?.term ?? 0,
    renewedMs,
    place: stream?.last ?? 0,
    seq: leader?.seq ?? null,
  };
}

async function readMember(
  inspection: Inspection,
  { name, bytes, storedAt }: KeptValue,
  facts: readonly ShardFacts[],
  now: number,
): Promise<MemberStatus> {
  const member = decodeMember(bytes);
  const { role, state, host, term, version, graphVersion, seq, digest, alarm } = member;
  const heardMs = Math.max(0, now - storedAt);
  const isSilent = heardMs >= SILENT_AFTER_MS;
  const shards = await Promise.all(
    followedBy(member).map(async ({ shard, place, lagMs }): Promise<FollowedStatus> => {
      const last = facts.find(({ name }) => name === shard)?.stream?.last ?? place;
      const behindPlaces = isSilent
        ? Math.max(0, last - place)
        : await behindAt(inspection, { shard, place, last }, storedAt);
      return { shard, place, behindPlaces, lagMs: isSilent && lagMs !== null ? lagMs + heardMs : lagMs };
    }),
  );
  return {
    name,
    role,
    state,
    host,
    term,
    version,
    graphVersion,
    seq,
    digest,
    alarm,
    heardMs,
    isSilent,
    shards,
  };
}

function followedBy({
  shard,
  place,
  lagMs,
  shards = [],
}: Member): readonly Omit<FollowedStatus, 'behindPlaces'>[] {
  return shard === null || place === null ? shards : [{ shard, place, lagMs }];
}

/** How many messages behind a place were stored by `at`: what came later does not make the one who told of it late. */
async function behindAt(
  inspection: Pick<Inspection, 'storedAt'>,
  { shard, place, last }: { readonly shard: string; readonly place: number; readonly last: number },
  at: number,
): Promise<number> {
  /** The last one that was stored by then, and the first one that was not, as far as known. */
  let [there, notThere] = [place, last + 1];
  while (notThere - there > 1) {
    const middle = Math.floor((there + notThere) / 2);
    // One that is no longer kept was stored long ago.
    const isThere = ((await inspection.storedAt(shard, middle)) ?? 0) <= at;
    if (isThere) there = middle;
    else notThere = middle;
  }
  return Math.max(0, there - place);
}
