import type { Tier } from '../access/tiers.ts';
import type { Call, Endpoint, PlainEndpoint } from './answer.ts';
import { starting } from './starting.ts';

/** Makes endpoints refuse while something that they need is waited for. */
export function onceStarted(waitsFor: (() => string | undefined) | undefined) {
  return <E extends Endpoint | PlainEndpoint>(endpoint: E): E => ({
    ...endpoint,
    answer(call: Call, tier: Tier) {
      const reason = waitsFor?.();
      if (reason !== undefined) throw starting(reason);
      return endpoint.answer(call, tier);
    },
  });
}
