import { API_PREFIX } from '../../contract/api-prefix.ts';
import { agesOf, closeRecords, openRecord } from '../../views/as-of.ts';
import type { OutputOf } from '../../views/latest.ts';
import { lagToWire } from '../../views/records/lag-fields.ts';
import type { Endpoint } from '../answer.ts';
import { createPrebuilt } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /meta/{account}/lag: how far the service, the oracle and the trading page are behind the posts. */
export function lagEndpoints({ latest, watcher, accounts, now, epoch }: StreamDeps): readonly Endpoint[] {
  return accounts.map(({ id, segment }) => {
    const records = () => {
      const lag = latest.get('lag', id);
      return lag ? [openLag(lag, segment)] : [];
    };
    return {
      path: `${API_PREFIX}/meta/${segment}/lag`,
      access: 'open',
      answer: createPrebuilt({
        watch: watcher.watch(({ stream, key }) => stream === 'lag' && key === id),
        variant: `${epoch}-lag-${segment}`,
        now,
        size: () => (latest.get('lag', id) ? 1 : 0),
        build: (nowMs) => `"data":${closeRecords(records(), agesOf(latest, nowMs, id))}`,
      }),
    };
  });
}

export function openLag(lag: OutputOf<'lag'>, segment: string): string {
  return openRecord(lagToWire(lag.record, segment), lag);
}
