import * as z from 'zod';
import type { SharedValues } from '../../bus/bus.ts';
import { StartError } from '../../errors.ts';
import { decodeJson, encodeJson } from '../entries/versioned-json.ts';

/** The name among the shared values `callers` under which the shard that keeps them is. */
const NAME = 'shard';

const keeper = z.strictObject({ shard: z.string() });

/**
 * Whether a shard keeps callers: keys, limits, waitlist, payments and usage. It is the first one that was led in the
 * cluster, or the one that is named, and stays it. Rejects when the name is not that of the shard that does.
 */
export async function keepsCallers(
  shared: SharedValues,
  shard: string,
  named: string | undefined,
): Promise<boolean> {
  if (named === undefined || named === shard) {
    const made = await shared.create(NAME, encodeJson(JSON.stringify({ shard })));
    if (made !== undefined) return true;
  }
  const keeping = await callersShard(shared);
  if (named !== undefined && keeping !== undefined && keeping !== named) {
    throw new StartError(
      'CALLERS_SHARD',
      `callers are kept by the shard ${keeping} of this cluster, not by ${named}: name ${keeping}, or none`,
    );
  }
  return keeping === shard;
}

/** The shard that keeps callers; undefined until one does. */
export async function callersShard(shared: SharedValues): Promise<string | undefined> {
  const value = await shared.get(NAME);
  return value && decodeJson(keeper, value.bytes, 'the shard that keeps callers').shard;
}
