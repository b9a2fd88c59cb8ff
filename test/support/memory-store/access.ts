import type { CallBatch, CallLog, KeptKey, Keys } from '../../../src/store/store.ts';

export function createMemoryKeys(): Keys {
  const keys = new Map<string, KeptKey>();
  return {
    all: () => [...keys.values()],
    async put(changed) {
      for (const each of changed) keys.set(each.id, each);
    },
  };
}

export function createMemoryCallLog(): CallLog {
  let batches: readonly CallBatch[] = [];
  return {
    all: () => batches,
    async append(batch, overAt) {
      batches = [...batches.filter(({ at }) => at > overAt), batch];
    },
    async replace(batch) {
      batches = [batch];
    },
  };
}
