import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { IssuedKey, KeyRegistry, ShownKey } from './key-registry.ts';

const MAX_LIMIT = 1_000_000_000;
const tier = z.enum(['FREE', 'PRO', 'INTERNAL']);
const limit = z.int().min(1).max(MAX_LIMIT);
// Names are printed: no control characters.
const name = z.string().regex(/^\P{Cc}{0,100}$/u);
const id = z.string().max(100);

/** What can be done to keys, as it goes over the local socket. */
const keyOrder = z.discriminatedUnion('op', [
  z.object({ op: z.literal('create'), tier, name, limit: limit.nullable() }),
  z.object({ op: z.literal('list') }),
  z.object({ op: z.literal('revoke'), id }),
  z.object({ op: z.literal('rotate'), id, revokesOld: z.boolean() }),
]);
export type KeyCommand = z.infer<typeof keyOrder>;

/** What comes back: `key` only of one that was just made. */
const shownKey = z.object({
  id: z.string(),
  tier,
  name: z.string(),
  limit: z.number().nullable(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
const keyAnswer = z.object({ keys: z.array(shownKey), key: z.string().nullable() });
export type KeyCommandAnswer = z.infer<typeof keyAnswer>;

export function parseKeyCommandAnswer(value: unknown): KeyCommandAnswer {
  return keyAnswer.parse(value);
}

/** Does what an order says. One that is none is refused with a ServiceError. */
export async function runKeyCommand(book: KeyRegistry, value: unknown): Promise<KeyCommandAnswer> {
  const { data: order } = keyOrder.safeParse(value);
  switch (order?.op) {
    case 'create':
      return issued(await book.create(order));
    case 'rotate':
      return issued(await book.rotate(order.id, order.revokesOld));
    case 'revoke':
      return { keys: [await book.revoke(order.id)], key: null };
    case 'list':
      return { keys: book.list().map((each: ShownKey) => ({ ...each })), key: null };
    default:
      throw new ServiceError('DESK_ORDER', 'expected an order to create, list, revoke or rotate keys');
  }
}

function issued({ key, shown }: IssuedKey): KeyCommandAnswer {
  return { keys: [shown], key };
}
