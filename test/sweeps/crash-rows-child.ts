import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import type { KeptKey, KeptPayment } from '../../src/store/store.ts';
import { backupRow, emailAt, keyRow, paymentRow, placeRow } from './crash-rows.ts';

// Begins a store with rows of what is kept nowhere else, and a backup of it. Each is told once its write has resolved, in
// a file beside the store.
const [data = '', told = '', rows = '0'] = process.argv.slice(2);

function tell(row: string): void {
  appendFileSync(told, `${row}\n`, { flush: true });
}

function keyAt(index: number): KeptKey {
  const state = { tier: 'PRO', limit: null, createdAt: index, lastUsedAt: null, revokedAt: null } as const;
  return {
    id: `key${index}`,
    hash: `${index}`.padStart(64, '0'),
    name: `holder ${index}`.repeat(8),
    ...state,
  };
}

function paymentAt(index: number): KeptPayment {
  return {
    id: `eip155:84532|0xasset|0xfrom${index}|0xnonce${index}`,
    state: 'SETTLED',
    proof: `${index}`.padStart(64, '0'),
    resource: '/api/v1/signals/account_a',
    order: JSON.stringify({ index, text: 'order '.repeat(30) }),
    validBeforeAt: 10_000_000_000_000,
    changedAt: Date.now(),
    nextTryAt: null,
    tries: 0,
    reply: { status: 200, headers: {}, body: 'bought '.repeat(50) },
    receipt: `receipt ${index}`,
    sentAt: null,
  };
}

const lock = await lockFolder(data);
const store = await openStore(data);
for (let index = 1; index <= Number(rows); index++) {
  const key = keyAt(index);
  await store.keys.put([key]);
  tell(keyRow(key));
  const entry = { type: 'human', useCase: 'watch', name: null, wallet: null, email: emailAt(index) } as const;
  const { position } = await store.waitlist.claim(entry, Date.now());
  tell(placeRow(position, entry.email));
  const payment = paymentAt(index);
  await store.payments.reserve(payment);
  tell(paymentRow(payment));
}
await store.backup(join(data, 'backups', 'one'));
tell(backupRow('one'));
await store.close();
await lock.release();
