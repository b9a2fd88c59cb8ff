import assert from 'node:assert/strict';
import type { KeptPayment, PaymentState } from '../../src/store/store.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { createPaidAnswers, type SignedPayment } from './paid-answers.ts';
import { createViolations } from './violations.ts';

const PAYMENT: SignedPayment = { id: 'net|asset|payer|1', transfer: 'payer|1', purchase: 1 };
const SERVED = { type: 'served', body: 'an answer' } as const;

function row(state: PaymentState, over: Partial<KeptPayment> = {}): KeptPayment {
  const reply = { status: 200, headers: {}, body: SERVED.body };
  const times = { validBeforeAt: 9, changedAt: 0, nextTryAt: null, tries: 0, sentAt: null };
  return {
    id: PAYMENT.id,
    state,
    proof: 'p',
    resource: '/',
    order: '{}',
    ...times,
    reply,
    receipt: null,
    ...over,
  };
}

/** A disk, a chain and a buyer that has signed a payment. */
function stage() {
  const kept = createMemoryStore();
  const chain = new Set<string>();
  const violations = createViolations(() => 0);
  const answers = createPaidAnswers({ kept, transfers: chain, now: () => 0, violations });
  answers.onSigned(PAYMENT);
  const keep = async (payment: KeptPayment) => {
    await kept.payments.put(payment);
    answers.onKept('payments', 'put', [payment]);
  };
  const found = () => violations.found.map(({ invariant, message }) => `${invariant}: ${message}`);
  return { kept, chain, answers, keep, found, checked: () => violations.checked.get(16) ?? 0 };
}

describe('paid answers', () => {
  it('find nothing wrong with a payment that is settled, answered and sent again', async () => {
    const { chain, answers, keep, found, checked } = stage();
    for (const state of ['RESERVED', 'VERIFIED', 'SETTLING'] as const) await keep(row(state));
    chain.add(PAYMENT.transfer);
    answers.check();
    await keep(row('UNKNOWN'));
    await keep(row('SETTLED'));
    answers.onTold(PAYMENT, SERVED);
    answers.onTold(PAYMENT, SERVED);
    await keep(row('SETTLED', { sentAt: 1, reply: null }));
    answers.onTold(PAYMENT, { type: 'used' });
    answers.check();
    answers.checkServed(0);
    assert.deepEqual(found(), []);
    assert.ok(checked() > 5);
  });

  it('find nothing wrong with a payment that was refused and one that was signed instead', async () => {
    const { chain, answers, keep, found } = stage();
    answers.onTold(PAYMENT, { type: 'failed' });
    const second = { id: 'net|asset|payer|2', transfer: 'payer|2', purchase: 1 };
    answers.onSigned(second);
    await keep(row('SETTLED', { id: second.id }));
    chain.add(second.transfer);
    answers.onTold(second, SERVED);
    answers.check();
    answers.checkServed(0);
    assert.deepEqual(found(), []);
  });

  it('find money that moved for an answer that is not on disk', async () => {
    const { chain, answers, keep, found } = stage();
    await keep(row('VERIFIED'));
    chain.add(PAYMENT.transfer);
    answers.check();
    assert.match(found().join(), /16: net\|asset\|payer\|1 was paid, and is VERIFIED on disk/);
  });

  it('find money that moved before it was on disk that it would', async () => {
    const { chain, keep, found } = stage();
    await keep(row('VERIFIED'));
    chain.add(PAYMENT.transfer);
    await keep(row('SETTLING'));
    assert.match(found().join(), /16: .* was paid before/);
  });

  it('find a purchase that was paid twice', async () => {
    const { chain, answers, keep, found } = stage();
    const second = { ...PAYMENT, id: 'net|asset|payer|2', transfer: 'payer|2' };
    answers.onSigned(second);
    for (const { id, transfer } of [PAYMENT, second]) {
      await keep(row('SETTLED', { id }));
      chain.add(transfer);
    }
    answers.check();
    assert.match(
      found().join(),
      /purchase 1 was paid with net\|asset\|payer\|1 and with net\|asset\|payer\|2/,
    );
  });

  it('find a buyer who paid and is told that it failed, before or afterwards', async () => {
    for (const isPaidFirst of [true, false]) {
      const { chain, answers, keep, found } = stage();
      await keep(row('SETTLED'));
      if (isPaidFirst) chain.add(PAYMENT.transfer);
      answers.onTold(PAYMENT, { type: 'failed' });
      if (!isPaidFirst) chain.add(PAYMENT.transfer);
      answers.check();
      assert.match(found().join(), /was paid/);
    }
  });

  it('find a settled payment that is forgotten or becomes something else', async () => {
    for (const spoil of ['release', 'put'] as const) {
      const { answers, keep, found } = stage();
      await keep(row('SETTLED'));
      answers.onKept('payments', 'reserve', [row('RESERVED')]);
      assert.deepEqual(found(), []);
      if (spoil === 'put') await keep(row('RESERVED'));
      else answers.onKept('payments', 'release', [PAYMENT.id]);
      assert.match(found().join(), spoil === 'put' ? /is RESERVED again/ : /is forgotten/);
    }
  });

  it('find an answer for nothing, another answer to the same payment, and one that is withheld', async () => {
    const { chain, answers, keep, found } = stage();
    answers.onTold(PAYMENT, SERVED);
    assert.match(found().join(), /was answered and never paid/);
    chain.add(PAYMENT.transfer);
    answers.onTold(PAYMENT, { ...SERVED, body: 'another' });
    assert.match(found().join(), /was answered an answer, and then another/);
    await keep(row('SETTLED'));
    answers.onTold(PAYMENT, { type: 'used' });
    assert.match(found().join(), /is called used/);
  });

  it('find a payment that is never answered, and one that nobody signed', async () => {
    const { chain, answers, keep, found } = stage();
    await keep(row('UNKNOWN'));
    chain.add(PAYMENT.transfer).add('payer|7');
    answers.check();
    answers.checkServed(1);
    assert.equal(found().length, 1);
    answers.checkServed(0);
    assert.match(found().join(), /payer\|7 was paid, and nobody signed it/);
    assert.match(found().join(), /payer\|1 was paid and never answered/);
  });
});
