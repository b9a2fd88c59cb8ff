import { messageOf, StoreError } from '../../errors.ts';
import { errorCode } from '../system-error.ts';

/** What LMDB answers when the file itself is wrong. Anything else, such as a lack of memory, says nothing about it. */
const DAMAGE_CODES = new Set([
  -30797, // MDB_PAGE_NOTFOUND
  -30796, // MDB_CORRUPTED
  -30795, // MDB_PANIC
  -30794, // MDB_VERSION_MISMATCH
  -30793, // MDB_INVALID
  -30787, // MDB_CURSOR_FULL: a tree that contains itself
  -30784, // MDB_INCOMPATIBLE
  -30782, // MDB_BAD_TXN: what follows one of these
  -30781, // MDB_BAD_VALSIZE
  -30780, // MDB_BAD_DBI
  -30779, // MDB_PROBLEM: a page of another kind than its place in the tree
]);

/** What the library says, without a code, of a key that it finds while it reads on. */
const IMPOSSIBLE_LENGTH = 'Invalid key size ';

/** Whether it is the library's own answer that the file is damaged. */
export function isDamageCode(code: unknown): boolean {
  return typeof code === 'number' && DAMAGE_CODES.has(code);
}

/** Whether an error that a read threw proves that the file is damaged. */
export function provesDamage(error: unknown): boolean {
  const code = errorCode(error);
  if (typeof code === 'number') return isDamageCode(code);
  // Thrown while bytes that are no key, text or length are decoded.
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    error instanceof SyntaxError ||
    (error instanceof Error && error.message.startsWith(IMPOSSIBLE_LENGTH))
  );
}

/** The same, also of an error that says so already. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError ? /^STORE_(BROKEN|CORRUPT)$/.test(error.code) : provesDamage(error);
}

/** Makes the error for a damaged part, and tells whoever watches the store. */
export type Damage = (part: string, message: string, cause?: unknown) => StoreError;

interface DamageWatch {
  readonly damage: Damage;
  /** Calls the listener at the first damage that is found; at once if some was. */
  onDamage(listener: (error: StoreError) => void): void;
}

export function watchDamage(): DamageWatch {
  let first: StoreError | undefined;
  const listeners: ((error: StoreError) => void)[] = [];
  return {
    damage(part, message, cause) {
      const because = cause === undefined ? '' : `: ${messageOf(cause)}`;
      const error = new StoreError('STORE_CORRUPT', `${message}${because}`, { part, cause });
      if (first === undefined) {
        first = error;
        for (const listener of listeners) listener(error);
      }
      return error;
    },
    onDamage(listener) {
      listeners.push(listener);
      if (first !== undefined) listener(first);
    },
  };
}
