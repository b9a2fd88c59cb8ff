import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const NAME = 'seconds_remaining';

/** No event is shown with less than no time left, wherever in a record that is. */
export function createRemainingTime({ check }: Pick<Violations, 'check'>): (shown: ShownRecord) => void {
  return ({ channel, key, record }) => {
    for (const fields of [record, ...Object.values(record)]) {
      if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, NAME)) continue;
      const seconds: unknown = Reflect.get(fields, NAME);
      const holds = seconds === null || (Number.isInteger(seconds) && Number(seconds) >= 0);
      check(14, holds, () => `${channel} of ${key} has ${seconds} s left`);
    }
  };
}
