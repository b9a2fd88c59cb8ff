import type { KeptKey, Keys } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

/** Keys under their id. */
export function openKeys({ durable, root, keys }: Environment): Keys {
  return {
    all: () => Array.from(keys.getRange(), ({ key, value }) => parseStored<KeptKey>(value, `the key ${key}`)),
    async put(changed) {
      const rows = changed.map((each) => [each.id, JSON.stringify(each)] as const);
      const write = () =>
        root.batch(() => {
          for (const [id, text] of rows) void keys.put(id, text);
        });
      await durable(write, 'the keys', sizeOf(rows.map(([, text]) => text)));
    },
  };
}
