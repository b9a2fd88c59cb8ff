import { crc32 } from 'node:zlib';
import { compareKeys, type Database, type Key } from '#database';
import { StoreError } from '../../errors.ts';
import { type Damage, provesDamage } from './damage.ts';
import { hasShape, type KeyShape } from './key-shape.ts';

/** How a value and its checksum are one value of the database. */
interface RowCodec<V> {
  encode(value: V, checksum: number): V;
  /** Undefined for a row that is too short for a checksum. */
  split(stored: V): { readonly checksum: number; readonly value: V } | undefined;
  checksum(value: V, seed: number): number;
}

/** Five printable characters hold 32 bits, in base 91 from the lowest digit on. */
const DIGITS = 5;
const BASE = 91;
const FIRST_DIGIT = 33;
const CHECKSUM_BYTES = 4;

function toDigits(checksum: number): string {
  let text = '';
  for (let digit = 0, rest = checksum; digit < DIGITS; digit++, rest = Math.floor(rest / BASE)) {
    text += String.fromCharCode(FIRST_DIGIT + (rest % BASE));
  }
  return text;
}

function fromDigits(text: string): number {
  let checksum = 0;
  for (let digit = DIGITS - 1; digit >= 0; digit--) {
    checksum = checksum * BASE + text.charCodeAt(digit) - FIRST_DIGIT;
  }
  return checksum;
}

export const checkedText: RowCodec<string> = {
  encode: (text, checksum) => toDigits(checksum) + text,
  split: (stored) => ({ checksum: fromDigits(stored), value: stored.slice(DIGITS) }),
  checksum: crc32,
};

export const checkedBytes: RowCodec<Buffer> = {
  encode(bytes, checksum) {
    const stored = Buffer.allocUnsafe(CHECKSUM_BYTES + bytes.length);
    stored.writeUInt32BE(checksum);
    stored.set(bytes, CHECKSUM_BYTES);
    return stored;
  },
  split: (stored) =>
    stored.length < CHECKSUM_BYTES
      ? undefined
      : { checksum: stored.readUInt32BE(), value: stored.subarray(CHECKSUM_BYTES) },
  checksum: crc32,
};

/** For whoever does not know which of the two a database holds. */
export const checkedAny: RowCodec<string | Buffer> = {
  encode: (value, checksum) =>
    typeof value === 'string' ? checkedText.encode(value, checksum) : checkedBytes.encode(value, checksum),
  split: (stored) => (typeof stored === 'string' ? checkedText.split(stored) : checkedBytes.split(stored)),
  checksum: crc32,
};

interface RowRange<K> {
  readonly start?: K;
  readonly end?: K;
  readonly exclusiveStart?: boolean;
  readonly reverse?: boolean;
  readonly offset?: number;
  readonly limit?: number;
}

export interface Row<V, K> {
  readonly key: K;
  readonly value: V;
}

/**
 * The rows of one database. Each carries a CRC-32 of its value that starts from the names of the database and of its
 * key, so that a row under another key, or of another database, is found out too. What cannot be read is thrown as
 * `STORE_CORRUPT`.
 */
export interface CheckedRows<V, K extends Key> {
  readonly name: string;
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** In order: rows of a page at another page's place are found out. */
  getRange(range?: RowRange<K>): Iterable<Row<V, K>>;
  /** The same, with undefined for the value of a row that does not match its checksum. A key of another shape is thrown. */
  inspect(range?: RowRange<K>): Iterable<Row<V | undefined, K>>;
  /** Does not read the values. */
  getKeys(range?: RowRange<K>): Iterable<K>;
  /** Of keys in a range. */
  count(range: RowRange<K>): number;
  /** Of all rows, without reading them. */
  size(): number;
  put(key: K, value: V): PromiseLike<boolean>;
  /** Puts a row after all others, which fills pages to their end instead of leaving room for keys in between. */
  putLast(key: K, value: V): PromiseLike<boolean>;
  putSync(key: K, value: V): void;
  remove(key: K): PromiseLike<boolean>;
  ifNoExists(key: K, action: () => void): Promise<boolean>;
  clear(): PromiseLike<void>;
  /** What the row of this key carries. */
  checksumOf(key: K, value: V): number;
}

interface Appendable<V, K> {
  // The library's types lack this option for writes in the background.
  put(key: K, value: V, options: { readonly append: true }): PromiseLike<boolean>;
}

/** Also of a key that damage made of other types than ours are. */
export function rowName(key: Key): string {
  return Array.isArray(key) ? key.map(String).join(' ') : String(key);
}

/** Texts are ordered by UTF-16 in `compareKeys` and by UTF-8 in the database, which is not the same with these. */
const ORDERED_OTHERWISE = /[\ud800-\uffff]/;

/** Whether keys that a range gave one after the other cannot be in the order of the database. */
function areOutOfOrder(first: Key, second: Key, isReverse = false): boolean {
  const order = compareKeys(first, second);
  return (
    (isReverse ? order <= 0 : order >= 0) &&
    !ORDERED_OTHERWISE.test(rowName(first)) &&
    !ORDERED_OTHERWISE.test(rowName(second))
  );
}

function hasCount(stats: object): stats is { readonly entryCount: number } {
  return 'entryCount' in stats && typeof stats.entryCount === 'number';
}

function sizeOf(database: { getStats(): object }): number {
  const stats = database.getStats();
  if (!hasCount(stats)) throw new TypeError('lmdb does not tell its number of rows');
  return stats.entryCount;
}

interface RowsToOpen<V, K extends Key> {
  readonly name: string;
  readonly database: Database<V, K>;
  readonly codec: RowCodec<V>;
  readonly keys: KeyShape;
  readonly damage: Damage;
}

export function openCheckedRows<V, K extends Key>({
  name,
  database,
  codec,
  keys,
  damage,
}: RowsToOpen<V, K>): CheckedRows<V, K> {
  const appendable: Appendable<V, K> = database;
  const nameSeed = crc32(name);
  const checksumOf = (key: K, value: V) => codec.checksum(value, crc32(rowName(key), nameSeed));
  const encode = (key: K, value: V) => codec.encode(value, checksumOf(key, value));

  function decode(key: K, stored: V): V | undefined {
    const row = codec.split(stored);
    return row !== undefined && checksumOf(key, row.value) === row.checksum ? row.value : undefined;
  }

  const mismatch = (key: K) => damage(name, `${name}: the row ${rowName(key)} does not match its checksum`);

  function unreadable(error: unknown, place: string): unknown {
    if (error instanceof StoreError || !provesDamage(error)) return error;
    return damage(name, `${name}: ${place} cannot be read`, error);
  }

  function checkKey(key: K): void {
    if (!hasShape(key, keys)) throw damage(name, `${name}: ${rowName(key)} is no key of it`);
  }

  function* inspect(range: RowRange<K> = {}): Iterable<Row<V | undefined, K>> {
    let last: K | undefined;
    try {
      for (const { key, value } of database.getRange(range)) {
        checkKey(key);
        last = key;
        yield { key, value: decode(key, value) };
      }
    } catch (error) {
      throw unreadable(error, last === undefined ? 'the first row' : `what follows the row ${rowName(last)}`);
    }
  }

  return {
    name,
    checksumOf,
    inspect,
    get(key) {
      try {
        const stored = database.get(key);
        if (stored === undefined) return undefined;
        const value = decode(key, stored);
        if (value === undefined) throw mismatch(key);
        return value;
      } catch (error) {
        throw unreadable(error, `the row ${rowName(key)}`);
      }
    },
    has(key) {
      try {
        return database.doesExist(key);
      } catch (error) {
        throw unreadable(error, `the row ${rowName(key)}`);
      }
    },
    *getRange(range = {}) {
      let last: K | undefined;
      for (const { key, value } of inspect(range)) {
        if (value === undefined) throw mismatch(key);
        if (last !== undefined && areOutOfOrder(last, key, range.reverse))
          throw damage(name, `${name}: the rows ${rowName(last)} and ${rowName(key)} are not in order`);
        last = key;
        yield { key, value };
      }
    },
    *getKeys(range = {}) {
      try {
        for (const key of database.getKeys(range)) {
          checkKey(key);
          yield key;
        }
      } catch (error) {
        throw unreadable(error, 'the keys');
      }
    },
    count(range) {
      try {
        return database.getKeysCount(range);
      } catch (error) {
        throw unreadable(error, 'the keys');
      }
    },
    size() {
      try {
        return sizeOf(database);
      } catch (error) {
        throw unreadable(error, 'the number of rows');
      }
    },
    put: (key, value) => database.put(key, encode(key, value)),
    putLast: (key, value) => appendable.put(key, encode(key, value), { append: true }),
    putSync: (key, value) => void database.putSync(key, encode(key, value)),
    remove: (key) => database.remove(key),
    ifNoExists: (key, action) => database.ifNoExists(key, action),
    clear: () => database.clearAsync(),
  };
}
