import { OPERATIONS } from './operations.ts';

/** Every query parameter that some endpoint takes. */
export const PARAMETER_NAMES: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap(({ query }) => Object.keys(query?.shape ?? {})),
);
