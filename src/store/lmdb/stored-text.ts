import { StoreError } from '../../errors.ts';

/** JSON as this store wrote it; `what` names it in the error for a row that is not readable. */
export function parseStored<T>(text: string, what: string): T {
  try {
    // Only texts that the store itself wrote are read back.
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `${what} is not readable`, { cause });
  }
}
