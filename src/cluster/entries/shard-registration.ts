import * as z from 'zod';
import { LIMITED_INPUTS } from '../../../streams/internal.ts';
import { PAID_FIELDS } from '../../contract/account.ts';
import { decodeJson, encodeJson } from './versioned-json.ts';

/** Ms after which inputs are stale. */
const limits = z.record(z.enum(LIMITED_INPUTS), z.number());

const registration = z.strictObject({
  accounts: z.array(
    z.strictObject({
      id: z.string(),
      segment: z.string(),
      name: z.string(),
      policy: z.strictObject({
        hasVelocity: z.boolean(),
        hasSizing: z.boolean(),
        hasRebalancing: z.boolean(),
        isBuyOnly: z.boolean(),
        freeFields: z.array(z.enum(PAID_FIELDS)).readonly(),
      }),
      staleAfterMs: limits,
    }),
  ),
  /** Of records of no account. */
  staleAfterMs: limits,
  /**
   * When the shard was first registered, UTC ms; a later leader keeps it. Channels and records of no account are those
   * of the shard that is registered the longest.
   */
  since: z.number(),
});

/**
 * What everybody may know of a shard, under its name in the shared area `shards`. Its leading engine writes it, and edges
 * serve the accounts that they find there.
 */
export type ShardRegistration = Readonly<z.infer<typeof registration>>;

export function encodeRegistration(value: ShardRegistration): Uint8Array {
  return encodeJson(JSON.stringify(value));
}

export function decodeRegistration(bytes: Uint8Array): ShardRegistration {
  return decodeJson(registration, bytes, 'the registration of a shard');
}
