import type { Bus } from '../../bus/bus.ts';
import { StartError } from '../../errors.ts';
import {
  decodeRegistration,
  encodeRegistration,
  type ShardRegistration,
} from '../entries/shard-registration.ts';

interface RegistrationDeps {
  readonly bus: Bus;
  readonly shard: string;
  readonly accounts: readonly ShardRegistration['accounts'][number][];
  readonly staleAfterMs: ShardRegistration['staleAfterMs'];
  /** UTC ms. */
  readonly now: () => number;
}

/** Tells all machines of the shard and its accounts. Only the leader does. */
export async function registerShard(deps: RegistrationDeps): Promise<void> {
  const { bus, shard, staleAfterMs, now } = deps;
  const shards = bus.shared('shards');
  const known = await shards.get(shard);
  const accounts = deps.accounts.map(({ id, segment, name, policy, staleAfterMs: limits }) => ({
    id,
    segment,
    name,
    policy,
    staleAfterMs: limits,
  }));
  const since = known === undefined ? now() : decodeRegistration(known.bytes).since;
  await shards.set(shard, encodeRegistration({ accounts, staleAfterMs, since }));
}

/** Throws while the shard is led with other accounts. One whose engines have stopped in order may be given others. */
export async function checkRegistration(
  bus: Bus,
  shard: string,
  accounts: readonly Pick<ShardRegistration['accounts'][number], 'id'>[],
): Promise<void> {
  const known = await bus.shared('shards').get(shard);
  const leader = await bus.leases.current(shard);
  if (known === undefined || leader === undefined || leader.owner === '') return;
  const idsOf = (all: typeof accounts) => all.map(({ id }) => id).sort();
  const theirs = idsOf(decodeRegistration(known.bytes).accounts);
  const ours = idsOf(accounts);
  if (theirs.join() === ours.join()) return;
  throw new StartError(
    'START_OTHER_ACCOUNTS',
    `the shard ${shard} is led with the accounts ${theirs.join(', ')}, and this engine has ${ours.join(', ')}; ` +
      'give it the same accounts, or another --shard',
  );
}
