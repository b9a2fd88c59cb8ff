import type { CallCount, CallCounts } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** Counted minutes under their caller, as pairs in a row. */
export function openCallCounts({ durable, root, hours }: Environment): CallCounts {
  return {
    all: () =>
      Array.from(hours.getRange(), ({ key, value }) => ({
        caller: key,
        minutes: parseStored<CallCount['minutes']>(value, `the hourly count of ${key}`),
      })),
    async write(changed, gone) {
      if (changed.length + gone.length === 0) return;
      const write = root.batch(() => {
        for (const caller of gone) void hours.remove(caller);
        for (const { caller, minutes } of changed) void hours.put(caller, JSON.stringify(minutes));
      });
      await durable(write, 'the hourly counts');
    },
  };
}
