import type { KeptKey, Keys } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** Keys under their id. */
export function openKeys({ durable, root, keys }: Environment): Keys {
  return {
    all: () => Array.from(keys.getRange(), ({ key, value }) => parseStored<KeptKey>(value, `the key ${key}`)),
    async put(changed) {
      const write = root.batch(() => {
        for (const each of changed) void keys.put(each.id, JSON.stringify(each));
      });
      await durable(write, 'the keys');
    },
  };
}
