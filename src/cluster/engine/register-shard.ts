import type { Bus } from '../../bus/bus.ts';
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
