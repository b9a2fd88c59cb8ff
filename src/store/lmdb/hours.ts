import { StoreError } from '../../errors.ts';
import type { Hours, KeptHour } from '../store.ts';
import type { Environment } from './environment.ts';

/** Counted minutes under their caller, as pairs in a row. */
export function openHours({ durable, root, hours }: Environment): Hours {
  return {
    all: () => Array.from(hours.getRange(), ({ key, value }) => toHour(key, value)),
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

function toHour(caller: string, text: string): KeptHour {
  try {
    // Read back only as it was put above.
    return { caller, minutes: JSON.parse(text) as KeptHour['minutes'] };
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `the hourly count of ${caller} is not readable`, { cause });
  }
}
