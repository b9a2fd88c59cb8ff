import type { CallCount, CallCounts, KeptKey, Keys } from '../../../src/store/store.ts';

export function createMemoryKeys(): Keys {
  const keys = new Map<string, KeptKey>();
  return {
    all: () => [...keys.values()],
    async put(changed) {
      for (const each of changed) keys.set(each.id, each);
    },
  };
}

export function createMemoryCallCounts(): CallCounts {
  const hours = new Map<string, CallCount>();
  return {
    all: () => [...hours.values()],
    async write(changed, gone) {
      for (const caller of gone) hours.delete(caller);
      for (const each of changed) hours.set(each.caller, each);
    },
  };
}
