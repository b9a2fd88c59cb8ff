import type * as z from 'zod';
import { readQuery } from '../contract/validation/validate.ts';
import type { Endpoint } from './answer.ts';

/** An answer that does not depend on the query, which is only checked. */
export function withCheckedQuery(schema: z.ZodObject, answer: Endpoint['answer']): Endpoint['answer'] {
  return (call, tier) => {
    readQuery(schema, call.query);
    return answer(call, tier);
  };
}
