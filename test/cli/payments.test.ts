import assert from 'node:assert/strict';
import { runProgram } from '../../src/cli/program.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { KeptPayment } from '../../src/store/store.ts';
import { HOUR_MS } from '../../streams/internal.ts';
import { paymentRow } from '../support/describe-payments.ts';
import { withFolder } from '../support/store-records.ts';
import { memoryProcess } from './memory-process.ts';

const REPLY = { status: 200, headers: {}, body: 'x' };

function row(payer: string, over: Partial<KeptPayment>): KeptPayment {
  const authorization = { from: payer, to: '0x2', value: '12500', nonce: '0x9' };
  const order = { paymentPayload: { payload: { authorization } }, paymentRequirements: { asset: '0xa' } };
  return paymentRow({
    id: `eip155:1|0xa|${payer}|0x9`,
    order: JSON.stringify(order),
    validBeforeAt: Date.now() + HOUR_MS,
    resource: '/api/v1/signals/account_a',
    ...over,
  });
}

describe('tallywire payments list', () => {
  const list = async (data: string, ...args: readonly string[]) => {
    const proc = memoryProcess();
    const code = await runProgram(['payments', 'list', '--data', data, ...args], proc);
    return { code, ...proc.texts };
  };

  it('shows those that are not over and those whose answer nobody fetched, beside an engine', () =>
    withFolder(async (folder) => {
      const now = Date.now();
      const { payments, close } = await openStore(folder);
      try {
        const over = { nextTryAt: null, reply: REPLY, takenAt: now };
        await payments.put(row('0xsent', { ...over, state: 'SETTLED', sentAt: now }));
        await payments.put(row('0xunsent', { ...over, state: 'SETTLED' }));
        await payments.put(row('0xfailed', { ...over, state: 'FAILED', reply: null }));
        await payments.put(row('0xpending', { state: 'UNKNOWN', takenAt: now - HOUR_MS }));
        await payments.put(
          row('0xlost', {
            state: 'UNKNOWN',
            takenAt: now - 4 * HOUR_MS,
            validBeforeAt: now - 3 * HOUR_MS,
            lastAnswer: 'no\u001b[2J funds',
          }),
        );
        const { code, stdout, stderr } = await list(folder);
        assert.deepEqual([code, stderr], [0, '']);
        const lines = stdout.trimEnd().split('\n');
        assert.match(lines[0] ?? '', /^STATE +PAYER +AMOUNT +RESOURCE +AGE +LAST ANSWER +NONCE$/);
        const signals = '/api/v1/signals/account_a';
        assert.deepEqual(
          lines.slice(1).map((line) => line.split(/ {2,}/)),
          [
            ['UNKNOWN, unresolved', '0xlost', '0.0125', signals, '4 hours', 'no\uFFFD[2J funds', '0x9'],
            ['UNKNOWN', '0xpending', '0.0125', signals, '60 minutes', '-', '0x9'],
            ['SETTLED', '0xunsent', '0.0125', signals, lines[3]?.split(/ {2,}/)[4], '-', '0x9'],
          ],
        );

        const asJson = await list(folder, '--json');
        const [lost] = asJson.stdout.split('\n').map((line) => line && JSON.parse(line));
        const { type, id, isUnresolved, amount, takenAt } = lost;
        assert.deepEqual(
          { type, id, isUnresolved, amount, takenAt },
          {
            type: 'payment',
            id: 'eip155:1|0xa|0xlost|0x9',
            isUnresolved: true,
            amount: '12500',
            takenAt: now - 4 * HOUR_MS,
          },
        );
      } finally {
        await close();
      }
    }));

  it('says so when there are none, and fails without a store', () =>
    withFolder(async (folder) => {
      await (await openStore(folder)).close();
      assert.equal((await list(folder)).stdout, 'There are no open payments.\n');
      assert.equal((await list(`${folder}-not-there`)).code, 1);
    }));
});
