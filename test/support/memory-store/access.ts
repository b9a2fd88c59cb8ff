import type { CallBatch, CallLog, GrantLog, KeptKey, Keys } from '../../../src/store/store.ts';

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

export function createMemoryGrantLog(): GrantLog {
  let batches: readonly { readonly at: number; readonly events: readonly string[] }[] = [];
  return {
    all: () => batches.flatMap(({ events }) => events),
    async append(events, at, overAt) {
      const first = batches.findIndex((each) => each.at > overAt);
      batches = [...(first < 0 ? [] : batches.slice(first)), { at, events }];
    },
  };
}
