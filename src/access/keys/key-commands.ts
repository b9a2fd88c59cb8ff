import * as z from 'zod';
import { ServiceError } from '../../errors.ts';
import type { IssuedKey, KeyRegistry } from './key-registry.ts';

const MAX_LIMIT = 1_000_000_000;
const tier = z.enum(['FREE', 'PRO', 'INTERNAL']);
const limit = z.int().min(1).max(MAX_LIMIT);
// Names are printed: no control characters.
const name = z.string().regex(/^\P{Cc}{0,100}$/u);
const id = z.string().max(100);

/** What can be done to keys, as it goes over the control socket. */
const keyCommand = z.discriminatedUnion('op', [
  z.object({ op: z.literal('create'), tier, name, limit: limit.nullable() }),
  z.object({ op: z.literal('list') }),
  z.object({ op: z.literal('revoke'), id }),
  z.object({ op: z.literal('rotate'), id, revokesOld: z.boolean() }),
]);
export type KeyCommand = z.infer<typeof keyCommand>;

const shownKey = z.object({
  id: z.string(),
  tier,
  name: z.string(),
  limit: z.number().nullable(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
/** `key` is null unless one was just made. */
const keyCommandAnswer = z.object({ keys: z.array(shownKey), key: z.string().nullable() });
export type KeyCommandAnswer = z.infer<typeof keyCommandAnswer>;

export function parseKeyCommandAnswer(value: unknown): KeyCommandAnswer {
  return keyCommandAnswer.parse(value);
}

/** Throws a ServiceError for a value that is no command. */
export async function runKeyCommand(registry: KeyRegistry, value: unknown): Promise<KeyCommandAnswer> {
  const { data: command } = keyCommand.safeParse(value);
  switch (command?.op) {
    case 'create':
      return issued(await registry.create(command));
    case 'rotate':
      return issued(await registry.rotate(command.id, command.revokesOld));
    case 'revoke':
      return { keys: [await registry.revoke(command.id)], key: null };
    case 'list':
      return { keys: [...registry.list()], key: null };
    default:
      throw new ServiceError('CONTROL_COMMAND', 'expected a command to create, list, revoke or rotate keys');
  }
}

function issued({ key, shown }: IssuedKey): KeyCommandAnswer {
  return { keys: [shown], key };
}
