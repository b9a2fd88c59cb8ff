import type { KeptKey, Keys } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

/** The row of `meta` with how many keys there are and the sum of their checksums, by which lost ones are noticed. */
const SUM_ROW = 'keys';

type Sums = ReadonlyMap<string, number>;

function sumText(sums: Sums): string {
  let sum = 0;
  for (const checksum of sums.values()) sum += checksum;
  return JSON.stringify([sums.size, sum]);
}

function read({ keys }: Environment): { readonly kept: readonly KeptKey[]; readonly sums: Sums } {
  const kept: KeptKey[] = [];
  const sums = new Map<string, number>();
  for (const { key, value } of keys.getRange()) {
    kept.push(parseStored<KeptKey>(value, `the key ${key}`));
    sums.set(key, keys.checksumOf(key, value));
  }
  return { kept, sums };
}

/** All keys. Throws when some are missing, or older than they should be. */
function readAll(environment: Environment): ReturnType<typeof read> {
  const found = read(environment);
  const expected = environment.meta.get(SUM_ROW) ?? sumText(new Map());
  if (sumText(found.sums) !== expected) {
    const [count] = parseStored<[number, number]>(expected, 'the sum of the keys');
    throw environment.damage(
      'keys',
      `keys: found ${found.sums.size} of ${count}, or older ones than were stored`,
    );
  }
  return found;
}

export function checkKeys(environment: Environment): void {
  readAll(environment);
}

/** Makes the sum that of the rows that are there. */
export async function sumKeys(environment: Environment): Promise<void> {
  const text = sumText(read(environment).sums);
  await environment.durable(() => environment.meta.put(SUM_ROW, text), 'the sum of the keys', sizeOf([text]));
}

/** Keys under their id. */
export function openKeys(environment: Environment): Keys {
  const { durable, root, keys, meta } = environment;
  let sums: Sums | undefined;
  let last: Promise<void> = Promise.resolve();

  async function write(changed: readonly KeptKey[]): Promise<void> {
    const next = new Map(sums ?? readAll(environment).sums);
    const rows = changed.map((each) => [each.id, JSON.stringify(each)] as const);
    for (const [id, text] of rows) next.set(id, keys.checksumOf(id, text));
    const begin = () =>
      root.batch(() => {
        for (const [id, text] of rows) void keys.put(id, text);
        void meta.put(SUM_ROW, sumText(next));
      });
    const texts = rows.map(([, text]) => text);
    await durable(begin, 'the keys', sizeOf(texts, 1));
    sums = next;
  }

  return {
    all: () => readAll(environment).kept,
    put(changed) {
      // One after another, as each sum builds on the one before.
      const written = last.then(() => write(changed));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
