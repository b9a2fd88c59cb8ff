import type { StoredAlerts } from '../../store/store.ts';
import type { AccessLog } from './access-log.ts';

/**
 * The rules of a shard and what came of them, as its leading engine uses them: reads are of its own store, and every write
 * is on the bus first, so that the engine that leads next goes on with the same rules, states and alerts.
 */
export function shareAlerts(stored: StoredAlerts, log: AccessLog): StoredAlerts {
  return {
    rows: (kind, rule) => stored.rows(kind, rule),
    async write({ put, remove }) {
      if (put.length + remove.length > 0) await log.make({ op: 'alerts', put, remove });
    },
  };
}
