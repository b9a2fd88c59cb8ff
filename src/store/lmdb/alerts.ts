import type { StoredAlerts } from '../store.ts';
import type { Environment } from './environment.ts';
import { sizeOf } from './write-size.ts';

/** Rows of alerts under their place. */
export function openStoredAlerts({ durable, root, alerts, damage }: Environment): StoredAlerts {
  return {
    rows(kind, rule) {
      const start: [string, string, number] = [kind, rule ?? '', 0];
      const found = [];
      for (const { key, value } of alerts?.getRange({ start }) ?? []) {
        const [kindOfRow, ruleOfRow, n] = key;
        if (kindOfRow !== kind || (rule !== undefined && ruleOfRow !== rule)) break;
        found.push({ place: [kind, ruleOfRow, n] as const, text: value });
      }
      return found;
    },
    async write({ put, remove }) {
      if (put.length + remove.length === 0) return;
      if (alerts === undefined) throw damage('alerts', 'alerts cannot be found');
      const write = () =>
        root.batch(() => {
          for (const [kind, rule, n] of remove) void alerts.remove([kind, rule, n]);
          for (const { place, text } of put) void alerts.put([place[0], place[1], place[2]], text);
        });
      const texts = put.map(({ text }) => text);
      await durable(write, 'alerts', sizeOf(texts, remove.length));
    },
  };
}
