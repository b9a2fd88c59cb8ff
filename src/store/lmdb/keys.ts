import { StoreError } from '../../errors.ts';
import type { KeptKey, Keys } from '../store.ts';
import type { Environment } from './environment.ts';

/** Keys under their id. */
export function openKeys({ durable, root, keys }: Environment): Keys {
  return {
    all: () => Array.from(keys.getRange(), ({ key, value }) => toKey(key, value)),
    async put(changed) {
      const write = root.batch(() => {
        for (const each of changed) void keys.put(each.id, JSON.stringify(each));
      });
      await durable(write, 'the keys');
    },
  };
}

function toKey(id: string, text: string): KeptKey {
  try {
    // Read back only as it was put above.
    return JSON.parse(text) as KeptKey;
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `the key ${id} is not readable`, { cause });
  }
}
