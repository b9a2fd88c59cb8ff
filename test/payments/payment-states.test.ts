import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChainEvidence } from '../../src/payments/chain.ts';
import type { Settlement } from '../../src/payments/facilitator.ts';
import { afterCrash, afterEvidence, afterSettling, isUnresolved } from '../../src/payments/payment-states.ts';
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

  it('takes a used nonce for ours after a try whose outcome was lost, and decides nothing by it at the first', () => {
    const used = { type: 'used', reason: 'nonce' } as const;
    const second = afterSettling(row('UNKNOWN'), used, NOW);
    assert.deepEqual([second.state, second.reply], ['SETTLED', REPLY]);
    const first = afterSettling(row('SETTLING'), used, NOW);
    assert.deepEqual([first.state, first.reply], ['UNKNOWN', REPLY]);
    assert.equal(afterSettling(first, used, NOW).state, 'UNKNOWN');
  });

  it('believes a refusal at the first try alone', () => {
    for (const reason of [
      'insufficient_funds',
      'invalid_exact_evm_signature',
      'invalid_exact_evm_payload_authorization_valid_before',
    ]) {
      const refused = { type: 'refused', reason } as const;
      assert.equal(afterSettling(row('SETTLING'), refused, NOW).state, 'FAILED');
      const after = afterSettling(row('UNKNOWN'), refused, NOW);
      assert.deepEqual([after.state, after.reply], ['UNKNOWN', REPLY]);
    }
  });

  it('comes back when a busy facilitator asked for it', () => {
    for (const state of ['SETTLING', 'UNKNOWN'] as const) {
      const after = afterSettling(row(state), { type: 'busy', waitMs: 7_000 }, NOW);
      assert.deepEqual([after.state, after.nextTryAt], ['UNKNOWN', NOW + 7_000]);
    }
  });

  it('waits longer from try to try, up to a minute, and an hour from an hour after the end on', () => {
    let payment = row('SETTLING');
    const waits: (number | null)[] = [];
    for (let tries = 0; tries < 5; tries++) {
      payment = afterSettling(payment, { type: 'open', reason: '' }, NOW);
      waits.push(payment.nextTryAt === null ? null : payment.nextTryAt - NOW);
    }
    assert.deepEqual(waits, [10_000, 20_000, 40_000, 60_000, 60_000]);
    const until = 10_000 + HOUR_MS;
    const silent = { type: 'unavailable', reason: '' } as const;
    assert.equal(afterSettling(payment, silent, until).nextTryAt, until + 60_000);
    assert.equal(afterSettling(payment, silent, until + 1).nextTryAt, until + 1 + HOUR_MS);
    assert.deepEqual([isUnresolved(payment, until), isUnresolved(payment, until + 1)], [false, true]);
  });

  it('never calls a payment failed that the chain settled, whatever the facilitator says in whatever order', () => {
    const settlements: readonly Settlement[] = [
      { type: 'used', reason: 'nonce' },
      { type: 'refused', reason: 'insufficient_funds' },
      { type: 'busy', waitMs: 1_000 },
      { type: 'open', reason: 'settlement_pending' },
      { type: 'unavailable', reason: '502' },
      { type: 'settled', transaction: '0x1' },
    ];
    // The answer to the try that moved the money is any but a refusal: that comes before anything is sent.
    const moving = settlements.filter(({ type }) => type !== 'refused' && type !== 'busy');
    const tries = fc.tuple(
      fc.array(fc.constantFrom(...settlements), { maxLength: 3 }),
      fc.constantFrom(...moving),
      fc.array(fc.constantFrom(...settlements), { maxLength: 8 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(tries, ([before, answer, after, isKilled]) => {
        let payment = row('SETTLING');
        if (isKilled) payment = afterCrash(payment, NOW);
        for (const settlement of before) {
          payment = afterSettling(payment, settlement, NOW);
          // What is over is not tried again.
          if (payment.state !== 'UNKNOWN') return;
        }
        for (const settlement of [answer, ...after]) {
          payment = afterSettling(payment, settlement, NOW);
          if (payment.state !== 'UNKNOWN') break;
        }
        assert.notEqual(payment.state, 'FAILED');
        assert.deepEqual(payment.reply, REPLY);
      }),
    );
  });
});

describe('afterEvidence', () => {
  const evidenceOf = (evidence: ChainEvidence, over: Partial<KeptPayment> = {}) =>
    afterEvidence(row('UNKNOWN', over), evidence, NOW);

  it('is decided by what the chain shows', () => {
    const settled = evidenceOf({ type: 'transferred', transaction: '0x1' });
    assert.deepEqual([settled?.state, settled?.reply, settled?.nextTryAt], ['SETTLED', REPLY, null]);
    assert.equal(JSON.parse(settled?.receipt ?? '').transaction, '0x1');
    const failed = evidenceOf({ type: 'failed', reason: 'authorization_canceled' });
    assert.deepEqual([failed?.state, failed?.reply, failed?.nextTryAt], ['FAILED', null, null]);
    assert.equal(JSON.parse(failed?.receipt ?? '').errorReason, 'authorization_canceled');
  });

  it('takes a used nonce for ours, unless the first try already met it', () => {
    assert.equal(evidenceOf({ type: 'used' })?.state, 'SETTLED');
    assert.equal(evidenceOf({ type: 'used' }, { usedAtFirst: true }), undefined);
  });

  it('decides nothing by what is not shown', () => {
    assert.equal(evidenceOf({ type: 'unused' }), undefined);
    assert.equal(evidenceOf({ type: 'unavailable', reason: '' }), undefined);
  });
});

describe('afterCrash', () => {
  it('asks at once what became of a settlement', () => {
    const { state, nextTryAt, reply } = afterCrash(row('SETTLING'), NOW);
    assert.deepEqual([state, nextTryAt, reply], ['UNKNOWN', NOW, REPLY]);
  });
});
