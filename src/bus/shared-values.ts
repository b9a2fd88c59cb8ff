import type { SharedArea, SharedValues } from './bus.ts';
import { checkName } from './names.ts';
import type { Value, Values } from './values.ts';

/** The values of one area. */
export function createSharedValues(values: Values, area: SharedArea): SharedValues {
  const prefix = `${area}.`;
  const keyOf = (name: string) => `${prefix}${checkName(name)}`;
  const toShared = ({ key, bytes, revision }: Value) => ({
    name: key.slice(prefix.length),
    bytes,
    revision,
  });

  /** Replaces what is there, whatever it is, but never what came after it was read. */
  const set = (name: string, bytes: Uint8Array): Promise<void> =>
    values.retry(async () => {
      for (;;) {
        const there = await values.get(keyOf(name));
        if (bytes.length === 0 && (there === undefined || there.bytes.length === 0)) return;
        if ((await values.replace(keyOf(name), bytes, there?.revision ?? 0)) !== undefined) return;
      }
    });

  return {
    async get(name) {
      const value = await values.retry(() => values.get(keyOf(name)));
      return value === undefined || value.bytes.length === 0 ? undefined : toShared(value);
    },
    set(name, bytes) {
      if (bytes.length === 0) throw new RangeError('a shared value has at least one byte');
      return set(name, bytes);
    },
    create: (name, bytes) =>
      values.retry(async () => {
        const there = await values.get(keyOf(name));
        // Its own earlier attempt counts as made by it.
        if (there !== undefined && there.bytes.length > 0) {
          return Buffer.compare(there.bytes, bytes) === 0 ? there.revision : undefined;
        }
        return values.replace(keyOf(name), bytes, there?.revision ?? 0);
      }),
    remove: (name) => set(name, new Uint8Array(0)),
    watch: (apply) =>
      values.watch(prefix, (value) => {
        if (value.bytes.length > 0) apply({ type: 'set', value: toShared(value) });
        else apply({ type: 'removed', name: value.key.slice(prefix.length) });
      }),
  };
}
