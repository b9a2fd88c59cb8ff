import * as z from 'zod';
import type { World } from '../../src/world/world.ts';

const state = z.object({
  facilitator: z.object({ settled: z.record(z.string(), z.string()) }),
});

/** The transfers that the chain of the world has, by `payer|nonce`. */
export function settledTransfers({ control }: World): readonly string[] {
  return Object.keys(state.parse(control.state()).facilitator.settled);
}
