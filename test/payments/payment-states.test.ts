import assert from 'node:assert/strict';
import { afterCrash, afterSettling } from '../../src/payments/payment-states.ts';
import type { KeptPayment } from '../../src/store/store.ts';
import { HOUR_MS } from '../../streams/internal.ts';
import { paymentRow } from '../support/describe-payments.ts';

const NOW = 5_000;
const REPLY = { status: 200, headers: {}, body: 'x' };

const row = (state: KeptPayment['state'], over: Partial<KeptPayment> = {}) =>
  paymentRow({
    id: 'eip155:1|0xa|0xb|0x1',
    state,
    order: JSON.stringify({ paymentRequirements: { network: 'eip155:1' } }),
    validBeforeAt: 10_000,
    reply: REPLY,
    ...over,
  });

describe('afterSettling', () => {
  it('keeps the reply of a settled payment, with a receipt', () => {
    const after = afterSettling(row('SETTLING'), { type: 'settled', transaction: '0x1' }, NOW);
    assert.deepEqual(
      [after.state, after.nextTryAt, after.reply, after.changedAt],
      ['SETTLED', null, REPLY, NOW],
    );
    const receipt = { success: true, transaction: '0x1', network: 'eip155:1', payer: '0xb' };
    assert.deepEqual(JSON.parse(after.receipt ?? ''), receipt);
  });

  it('takes a used nonce for a failure at the first try, and for ours after one whose outcome was lost', () => {
    const used = { type: 'used', reason: 'nonce' } as const;
    const first = afterSettling(row('SETTLING'), used, NOW);
    assert.deepEqual([first.state, first.reply], ['FAILED', null]);
    const second = afterSettling(row('UNKNOWN'), used, NOW);
    assert.deepEqual([second.state, second.reply], ['SETTLED', REPLY]);
  });

  it('does not take being too late now for the failure of an earlier try', () => {
    const reason = 'invalid_exact_evm_payload_authorization_valid_before';
    assert.equal(afterSettling(row('SETTLING'), { type: 'failed', reason }, NOW).state, 'FAILED');
    assert.equal(afterSettling(row('UNKNOWN'), { type: 'failed', reason }, NOW).state, 'UNKNOWN');
    const other = afterSettling(row('UNKNOWN'), { type: 'failed', reason: 'insufficient_funds' }, NOW);
    assert.equal(other.state, 'FAILED');
  });

  it('waits longer from try to try, up to a minute, and gives up an hour after the end', () => {
    let payment = row('SETTLING');
    const waits: (number | null)[] = [];
    for (let tries = 0; tries < 5; tries++) {
      payment = afterSettling(payment, { type: 'unknown', reason: '' }, NOW);
      waits.push(payment.nextTryAt === null ? null : payment.nextTryAt - NOW);
    }
    assert.deepEqual(waits, [10_000, 20_000, 40_000, 60_000, 60_000]);
    const until = 10_000 + HOUR_MS;
    const unknown = { type: 'unknown', reason: '' } as const;
    assert.notEqual(afterSettling(payment, unknown, until).nextTryAt, null);
    assert.equal(afterSettling(payment, unknown, until + 1).nextTryAt, null);
  });
});

describe('afterCrash', () => {
  it('asks at once what became of a settlement', () => {
    const { state, nextTryAt, reply } = afterCrash(row('SETTLING'), NOW);
    assert.deepEqual([state, nextTryAt, reply], ['UNKNOWN', NOW, REPLY]);
  });
});
