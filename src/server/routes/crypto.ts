import type { Output } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { type ActiveEvent, activeCryptoEvents } from '../../views/active-events.ts';
import { agesOf, closeRecords, newest, openRecord } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import { cryptoToWire } from '../../views/records/crypto-fields.ts';
import type { Endpoint } from '../answer.ts';
import { createPrebuilt } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /meta/crypto: every active crypto price event with its prices (spec 4, endpoint 3). */
export function cryptoEndpoint({ latest, watcher, now, epoch }: StreamDeps): Endpoint {
  const records = (nowMs: number) =>
    activeCryptoEvents(latest).flatMap((event) => openCrypto(latest, event, nowMs));
  return {
    path: `${API_PREFIX}/meta/crypto`,
    access: 'open',
    answer: createPrebuilt({
      watch: watcher.watch((output) => concernsCrypto(latest, output)),
      variant: `${epoch}-meta-crypto`,
      now,
      size: () => activeCryptoEvents(latest).length,
      build: (nowMs) => `"data":${closeRecords(records(nowMs), agesOf(latest, nowMs))}`,
    }),
  };
}

// The time left runs like the envelope's timestamp: it is as of the last tick and does not move the tag.
export function openCrypto(latest: Latest, event: ActiveEvent, nowMs: number): string[] {
  const { subject, buckets } = event.record;
  if (subject.type !== 'crypto') return [];
  const spot = latest.get('spot', subject.symbol);
  const prices = new Map(buckets.map(({ yesToken }) => [yesToken, latest.get('prices', yesToken)]));
  const fields = cryptoToWire({
    event: event.record,
    subject,
    spot: spot?.record,
    priceOf: (token) => prices.get(token)?.record,
    nowMs,
  });
  return [openRecord(fields, newest(event, spot, ...prices.values()))];
}

function concernsCrypto(latest: Latest, output: Output): boolean {
  if (output.stream === 'events' || output.stream === 'spot') return true;
  if (output.stream !== 'prices') return false;
  return latest.get('events', String(output.record.eventId))?.record.subject.type === 'crypto';
}
