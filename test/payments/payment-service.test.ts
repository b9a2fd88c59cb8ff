import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { closedError } from '../../src/bus/bus-error.ts';
import { RequestError, StoreError } from '../../src/errors.ts';
import {
  openPaymentService,
  type PaidRequest,
  type PaymentReport,
  type PaymentService,
  type PaymentServiceDeps,
} from '../../src/payments/payment-service.ts';
import type { KeptPayment, Payments } from '../../src/store/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryPayments } from '../support/memory-store/payments.ts';
import { MUTATIONS } from '../support/payment-mutations.ts';
import { SIGNALS, TERMS } from '../support/payment-terms.ts';
import {
  createPayer,
  type FacilitatorStand,
  headerOf,
  openFacilitator,
  type Payer,
} from '../support/payments.ts';

const START = Date.UTC(2026, 0, 1);
const EVER = Number.MAX_SAFE_INTEGER;

describe('openPaymentService', () => {
  let clock: { now: number };
  let stand: FacilitatorStand;
  let payments: Payments;
  let reports: PaymentReport[];
  let service: PaymentService;
  let payer: Payer;
  let served: number;
  let looks: number;

  /** Each look after open payments ends with one at those whose reply is to spare. */
  const counted = (inner: Payments): Payments => ({
    ...inner,
    marked(mark, upToAt, limit) {
      if (mark === 'spare') looks++;
      return inner.marked(mark, upToAt, limit);
    },
  });
  const open = (over: Partial<PaymentServiceDeps> = {}) =>
    openPaymentService({
      terms: TERMS,
      facilitator: { url: stand.url },
      now: () => clock.now,
      agreedNow: () => clock.now,
      mono: () => clock.now,
      report: (report) => void reports.push(report),
      everyMs: 5,
      ...over,
      payments: counted(over.payments ?? payments),
    });
  const reopen = async (over: Partial<PaymentServiceDeps> = {}) => {
    await service.close();
    service = await open(over);
  };

  beforeEach(async () => {
    clock = { now: START };
    stand = await openFacilitator(() => clock.now);
    payments = createMemoryPayments();
    reports = [];
    served = 0;
    looks = 0;
    payer = createPayer();
    service = await open();
  });
  afterEach(async () => {
    await service.close();
    await stand.close();
  });

  const header = async (over: Partial<Parameters<Payer['sign']>[0]> = {}) =>
    headerOf(await payer.sign({ nowMs: clock.now, ...over }));
  const requestOf = (payment: string, over: Partial<PaidRequest> = {}): PaidRequest => ({
    payment,
    path: SIGNALS,
    resource: SIGNALS,
    url: `http://localhost${SIGNALS}`,
    address: '1.2.3.4',
    answer: async () => ({ status: 200, headers: {}, body: `answer ${++served}` }),
    isGone: () => false,
    ...over,
  });
  const charge = (payment: string, over: Partial<PaidRequest> = {}) =>
    service.charge(requestOf(payment, over));
  /** Charges and sends. */
  const bodyOf = async (payment: string) => {
    const { reply, sent } = await charge(payment);
    sent();
    return reply.body;
  };
  const codeOf = async (charged: Promise<unknown>) => {
    const error = await charged.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof RequestError) return `${error.status} ${error.code}`;
    assert.equal(error, undefined);
    return 'paid';
  };
  const rows = () =>
    [...payments.marked('open', EVER, 99), ...payments.marked('unsent', EVER, 99)].map(({ state }) => state);
  const settled = () => Object.keys(stand.facilitator.state().settled).length;
  const settleCalls = () => stand.facilitator.state().settleCalls;
  const unresolved = () => reports.flatMap((report) => (report.type === 'unresolved' ? [report.ids] : []));
  /** One look after open payments began and ended from here on. */
  const looked = () => {
    const before = looks;
    return eventually('a look', () => looks >= before + 2);
  };

  it('refuses every payment that was changed, and takes the next good one', async () => {
    for (const [name, spoil] of MUTATIONS) {
      const payment = await payer.sign({ nowMs: clock.now });
      const code = await codeOf(charge(headerOf(spoil(payment)), { address: name }));
      assert.match(code, /^(400 payment_malformed|402 payment_refused)$/, name);
    }
    assert.equal(settleCalls(), 0);
    assert.deepEqual(rows(), []);
    assert.equal(await bodyOf(await header()), 'answer 1');
  });

  it('holds a nonce while it is being written', async () => {
    const disk = new EventEmitter();
    const reserve: Payments['reserve'] = async (payment) => {
      await once(disk, 'free');
      return payments.reserve(payment);
    };
    await reopen({ payments: { ...payments, reserve } });
    const payment = await header();
    const first = codeOf(charge(payment));
    const second = codeOf(charge(payment));
    assert.equal(await second, '409 payment_in_progress');
    disk.emit('free');
    assert.equal(await first, 'paid');
    assert.equal(stand.facilitator.state().verifyCalls, 1);
  });

  it('wants the price of the path, in either version', async () => {
    const cheap = await header({ version: 1 });
    const path = '/api/v1/portfolio/account_a';
    assert.equal(await codeOf(charge(cheap, { path, resource: path })), '402 payment_refused');
    const dear = await header({ version: 1, path });
    assert.equal(await codeOf(charge(dear)), '402 payment_refused');
    assert.equal(await codeOf(charge(dear, { path, resource: path })), 'paid');
  });

  describe('when the outcome of a settlement is open', () => {
    const faults: Readonly<Record<string, () => void>> = {
      'a status of 500': () => stand.fail('status', 'settle', { times: 1 }),
      'a page': () => stand.fail('html', 'settle', { times: 1, status: 200 }),
      'half an answer': () => stand.fail('truncated', 'settle', { times: 1 }),
      'wrong types': () => stand.fail('wrong-types', 'settle', { times: 1 }),
      'a broken connection': () => stand.fail('reset', 'settle', { times: 1 }),
      'a success without a hash': () => stand.facilitator.steer({ settle: 'no-hash', times: 1 }),
      'a settlement that is pending': () => stand.facilitator.steer({ settle: 'pending', times: 1 }),
    };
    for (const [name, spoil] of Object.entries(faults)) {
      it(`answers 503 after ${name}, settles in the background, and then gives the answer`, async () => {
        const payment = await header();
        spoil();
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        assert.deepEqual(rows(), ['UNKNOWN']);
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        clock.now += 10_000;
        await eventually('it is settled', () => rows().join() === 'SETTLED');
        assert.equal(await bodyOf(payment), 'answer 1');
        assert.equal(served, 1);
        assert.equal(settled(), 1);
      });
    }

    it('answers 503 when no answer comes in time, though it comes later', async () => {
      await reopen({ facilitator: { url: stand.url, settleTimeoutMs: 30 } });
      const payment = await header();
      stand.fail('slow', 'settle', { times: 1, delayMs: 60 });
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      await eventually('the money moved', () => settled() === 1);
      await reopen();
      await eventually('it is settled', () => {
        clock.now += 1_000;
        return rows().join() === 'SETTLED';
      });
      assert.equal(await bodyOf(payment), 'answer 1');
      assert.equal(settled(), 1);
    });

    it('waits for a slow answer', async () => {
      stand.fail('slow', 'settle', { times: 1, delayMs: 300 });
      assert.equal(await bodyOf(await header()), 'answer 1');
      assert.equal(settleCalls(), 1);
    });

    const refusals: Readonly<Record<string, () => void>> = {
      'insufficient funds': () => stand.facilitator.steer({ settle: 'refuse', times: 1 }),
      'a status of 429': () => stand.facilitator.steer({ settle: 'busy', times: 1 }),
      'funds that the first try took': () => stand.chain.setBalance(payer.address, 0n),
    };
    for (const [name, refuse] of Object.entries(refusals)) {
      it(`never takes ${name} at a later try for a failure of the first, whose answer was lost`, async () => {
        const payment = await header();
        stand.facilitator.steer({ settle: 'lose', times: 1 });
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        assert.equal(settled(), 1);
        refuse();
        const calls = settleCalls();
        clock.now += 10_000;
        await eventually('it was asked again', () => settleCalls() > calls);
        await looked();
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        assert.deepEqual(rows(), ['UNKNOWN']);
        stand.chain.setBalance(payer.address, 1_000_000n);
        await eventually('it is settled', () => {
          clock.now += 1_000;
          return rows().join() === 'SETTLED';
        });
        assert.equal(await bodyOf(payment), 'answer 1');
        assert.equal(settled(), 1);
      });
    }

    it('keeps to the time that a busy facilitator names, with all payments', async () => {
      const [first, second] = [await header(), await header()];
      stand.fail('status', 'settle', { times: 2 });
      for (const payment of [first, second])
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      stand.facilitator.steer({ settle: 'busy', times: null });
      clock.now += 10_000;
      await eventually('it was asked', () => settleCalls() > 0);
      await looked();
      const asked = settleCalls();
      clock.now += 6_999;
      await looked();
      assert.equal(settleCalls(), asked);
      stand.facilitator.steer({ times: null });
      clock.now += 1;
      await eventually('both are settled', () => rows().join() === 'SETTLED,SETTLED');
    });

    it('asks about other payments while one is never answered', async () => {
      const [first, second] = [await header(), await header()];
      stand.fail('status', 'settle', { times: 2 });
      for (const payment of [first, second]) await codeOf(charge(payment));
      stand.fail('hang', 'settle', { times: 1 });
      clock.now += 10_000;
      await eventually('the other is settled', () => rows().includes('SETTLED'));
    });

    it('looks into it soon after the calendar was set back by days', async () => {
      let setBackMs = 0;
      await reopen({ now: () => clock.now - setBackMs });
      const payment = await header();
      stand.fail('status', 'settle', { times: 1 });
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      setBackMs = 3 * DAY_MS;
      await eventually('it is settled', () => rows().join() === 'SETTLED');
      assert.equal(await bodyOf(payment), 'answer 1');
    });

    it('looks into it at the next start when the calendar was set back meanwhile', async () => {
      stand.fail('status', 'settle', { times: 1 });
      assert.equal(await codeOf(charge(await header())), '503 payment_pending');
      await service.close();
      const [row] = payments.marked('open', EVER, 1);
      assert.ok(row);
      await payments.put({ ...row, nextTryAt: START + 3 * DAY_MS });
      service = await open();
      await eventually('it is settled', () => rows().join() === 'SETTLED');
    });

    it('keeps to the time that a busy facilitator names when the calendar is set forward', async () => {
      let setMs = 0;
      await reopen({ now: () => clock.now + setMs });
      stand.fail('status', 'settle', { times: 1 });
      assert.equal(await codeOf(charge(await header())), '503 payment_pending');
      stand.facilitator.steer({ settle: 'busy', times: null });
      setMs = MINUTE_MS;
      await eventually('it was asked', () => settleCalls() > 0);
      await looked();
      const asked = settleCalls();
      setMs = 30 * MINUTE_MS;
      await looked();
      assert.equal(settleCalls(), asked);
      stand.facilitator.steer({ times: null });
      clock.now += 7_000;
      await eventually('it is settled', () => rows().join() === 'SETTLED');
    });

    it('tells the operator an hour after the payment ended, and never calls it failed', async () => {
      const payment = await header();
      stand.facilitator.steer({ settle: 'lose', times: 1 });
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      stand.fail('status', 'settle');
      await eventually('it is told', () => {
        clock.now += MINUTE_MS;
        return unresolved().some((ids) => ids.length === 1);
      });
      assert.ok(clock.now > START + HOUR_MS);
      assert.equal(await codeOf(charge(payment)), '503 payment_unresolved');
      // The answer is kept, and goes out once a node shows the outcome.
      await reopen({ node: { url: stand.nodeUrl } });
      await eventually('it is settled', () => {
        clock.now += MINUTE_MS;
        return rows().join() === 'SETTLED';
      });
      assert.equal(await bodyOf(payment), 'answer 1');
      clock.now += HOUR_MS;
      await eventually('it is told that none is left', () => unresolved().at(-1)?.length === 0);
    });

    describe('and a node of the chain is known', () => {
      beforeEach(() => reopen({ node: { url: stand.nodeUrl } }));

      it('learns from the chain that it was settled, however the facilitator behaves', async () => {
        const payment = await header();
        stand.facilitator.steer({ settle: 'lose', times: 1 });
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        stand.facilitator.steer({ settle: 'refuse', times: null });
        const calls = settleCalls();
        clock.now += 10_000;
        await eventually('it is settled', () => rows().join() === 'SETTLED');
        const { reply } = await charge(payment);
        assert.equal(reply.body, 'answer 1');
        const receipt = JSON.parse(Buffer.from(reply.headers['PAYMENT-RESPONSE'] ?? '', 'base64').toString());
        assert.deepEqual([receipt.transaction], [...stand.chain.transfers.values()]);
        assert.equal(settleCalls(), calls);
      });

      it('learns from the chain that it failed, once the payment expired unused', async () => {
        const payment = await header();
        stand.fail('status', 'settle');
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        await eventually('it failed', () => {
          clock.now += 5_000;
          return rows().length === 0;
        });
        assert.ok(clock.now > START + 120_000);
        assert.equal(await codeOf(charge(payment)), '402 payment_failed');
        assert.equal(settled(), 0);
      });

      it('serves nobody whose signature was taken back', async () => {
        const payment = await header();
        stand.facilitator.steer({ settle: 'cancelled', times: 1 });
        assert.equal(await codeOf(charge(payment)), '503 payment_pending');
        await eventually('it failed', () => {
          clock.now += 5_000;
          return rows().length === 0;
        });
        assert.equal(await codeOf(charge(payment)), '402 payment_failed');
      });

      it('goes on with the facilitator when the node does not answer', async () => {
        const [lost, late] = [await header(), await header()];
        stand.facilitator.steer({ settle: 'lose', times: 1 });
        assert.equal(await codeOf(charge(lost)), '503 payment_pending');
        stand.fail('status', 'settle', { times: 1 });
        assert.equal(await codeOf(charge(late)), '503 payment_pending');
        stand.fail('status', 'facilitator', { role: 'chain', contains: '' });
        clock.now += 10_000;
        await eventually('the other is settled', () => rows().includes('SETTLED'));
        assert.equal(await bodyOf(late), 'answer 2');
        assert.ok(reports.some(({ type }) => type === 'node'));
        // By what a nonce was used is for the chain to say.
        assert.equal(await codeOf(charge(lost)), '503 payment_pending');
        stand.faults.clear(undefined);
        await eventually('it is settled', () => {
          clock.now += 1_000;
          return rows().join() === 'SETTLED';
        });
        assert.equal(await bodyOf(lost), 'answer 1');
      });
    });

    it('leaves a nonce that was used before the first try to a node or an operator', async () => {
      const payment = await header();
      stand.facilitator.steer({ settle: 'cancelled', times: 1 });
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      await eventually('it is told', () => {
        clock.now += MINUTE_MS;
        return unresolved().some((ids) => ids.length === 1);
      });
      assert.equal(await codeOf(charge(payment)), '503 payment_unresolved');
    });
  });

  describe('when the facilitator fails on some payments', () => {
    it('takes the others, however many were sent', async () => {
      const isOffered = () => service.offer(SIGNALS, 'http://localhost') !== undefined;
      for (const kind of ['status', 'reset', 'html', 'truncated'] as const) {
        for (const call of ['verify', 'settle'] as const) {
          // After this the facilitator may be asked whether it is there again.
          clock.now += 30_000;
          await eventually('nothing is open', () => !rows().includes('UNKNOWN'));
          stand.fail(kind, call, { times: 6 });
          for (let sent = 0; sent < 6; sent++) {
            const code = await codeOf(charge(await header(), { address: `${kind} ${call}` }));
            assert.equal(code, call === 'verify' ? '503 payments_unavailable' : '503 payment_pending');
          }
          await looked();
          assert.ok(isOffered());
          assert.equal(await codeOf(charge(await header())), 'paid');
        }
      }
    });

    it('takes none while it is down, and offers them again by itself', async () => {
      const isOffered = () => service.offer(SIGNALS, 'http://localhost') !== undefined;
      stand.fail('status', 'facilitator', { status: 503 });
      for (let sent = 0; sent < 5; sent++) await codeOf(charge(await header()));
      await eventually('it is down', () => !isOffered());
      const asked = stand.facilitator.state().verifyCalls;
      assert.equal(await codeOf(charge(await header())), '503 payments_unavailable');
      assert.equal(stand.facilitator.state().verifyCalls, asked);
      stand.faults.clear(undefined);
      clock.now += 30_000;
      await eventually('it is offered', isOffered);
      assert.equal(await codeOf(charge(await header())), 'paid');
    });

    it('passes on when a busy one may be asked again', async () => {
      stand.fail('status', 'verify', { status: 429, retryAfter: '33', times: 1 });
      const error = await charge(await header()).catch((reason: unknown) => reason);
      assert.ok(error instanceof RequestError);
      assert.deepEqual([error.code, error.headers['Retry-After']], ['payments_unavailable', '33']);
    });
  });

  it('answers a settlement that failed with 402 and the receipt, and the same payment again', async () => {
    const payment = await header();
    stand.facilitator.steer({ settle: 'refuse', times: 1 });
    for (let time = 0; time < 2; time++) {
      const error = await charge(payment).catch((reason: unknown) => reason);
      assert.ok(error instanceof RequestError && error.code === 'payment_failed');
      const receipt = Buffer.from(error.headers['PAYMENT-RESPONSE'] ?? '', 'base64').toString();
      assert.equal(JSON.parse(receipt).success, false);
      assert.equal(JSON.parse(receipt).errorReason, 'insufficient_funds');
    }
    assert.equal(settleCalls(), 1);
    assert.equal(await codeOf(charge(await header())), 'paid');
  });

  it('releases the nonce when the facilitator refuses or does not answer', async () => {
    const payment = await header();
    stand.facilitator.steer({ verify: 'invalid', times: 1 });
    assert.equal(await codeOf(charge(payment)), '402 payment_refused');
    for (const kind of ['status', 'html', 'truncated', 'reset'] as const) {
      stand.fail(kind, 'verify', { times: 1 });
      assert.equal(await codeOf(charge(payment)), '503 payments_unavailable');
    }
    assert.deepEqual(rows(), []);
    assert.equal(await bodyOf(payment), 'answer 1');
  });

  it('does not charge a caller who has left', async () => {
    await charge(await header(), { isGone: () => true });
    assert.equal(settleCalls(), 0);
    assert.deepEqual(rows(), []);
  });

  it('does not charge when the answer fails', async () => {
    const answer = async () => {
      throw new TypeError('a bug');
    };
    await assert.rejects(charge(await header(), { answer }), TypeError);
    assert.equal(
      (await charge(await header(), { answer: async () => ({ status: 503, headers: {}, body: '' }) })).reply
        .status,
      503,
    );
    assert.equal(settleCalls(), 0);
    assert.deepEqual(rows(), []);
  });

  it('keeps a reply for ten minutes after it was sent, and one that never was for longer', async () => {
    const [sent, unsent] = [await header(), await header()];
    await bodyOf(sent);
    await charge(unsent);
    clock.now += 9 * MINUTE_MS;
    assert.equal(await bodyOf(sent), 'answer 1');
    clock.now += 2 * MINUTE_MS;
    await eventually('it is dropped', () => payments.marked('spare', EVER, 9).length === 0);
    assert.equal(await codeOf(charge(sent)), '402 payment_used');
    assert.equal((await charge(unsent)).reply.body, 'answer 2');
    clock.now += 61 * MINUTE_MS;
    await eventually('it is listed', () =>
      reports.some((report) => report.type === 'unsent' && report.ids.length === 1),
    );
  });

  it('remembers nonces for thirty days after the payment ended', async () => {
    const { sent } = await charge(await header());
    const [id = ''] = payments.marked('unsent', EVER, 1).map((row) => row.id);
    sent();
    const prunedTwice = async () => {
      const before = reports.length;
      // The second of them began after the clock was set.
      for (let time = 1; time <= 2; time++) {
        await eventually('an hourly report', () => {
          clock.now += MINUTE_MS;
          return reports.slice(before).filter(({ type }) => type === 'unsent').length >= time;
        });
      }
    };
    clock.now = START + 29 * DAY_MS;
    await prunedTwice();
    assert.equal(payments.find(id)?.state, 'SETTLED');
    clock.now = START + 30 * DAY_MS + 3 * MINUTE_MS;
    await prunedTwice();
    assert.equal(payments.find(id), undefined);
  });

  it('forgets no nonce while others do not agree with the calendar', async () => {
    await reopen({ agreedNow: () => undefined });
    const { sent } = await charge(await header());
    const [id = ''] = payments.marked('unsent', EVER, 1).map((row) => row.id);
    sent();
    clock.now = START + 60 * DAY_MS;
    const before = reports.length;
    await eventually('the hourly work is done', () =>
      reports.slice(before).some(({ type }) => type === 'unresolved'),
    );
    await looked();
    assert.equal(payments.find(id)?.state, 'SETTLED');
  });

  it('hands a settlement under way to the next start when it is closed', async () => {
    const payment = await header();
    stand.fail('hang', 'settle', { times: 1 });
    const outcome = codeOf(charge(payment));
    await eventually('it was asked for', () => stand.faults.list().length === 0);
    await service.close();
    assert.equal(await outcome, '503 payment_pending');
    assert.deepEqual(rows(), ['UNKNOWN']);
    service = await open();
    await eventually('it is settled', () => {
      clock.now += 1_000;
      return rows().join() === 'SETTLED';
    });
    assert.equal(await bodyOf(payment), 'answer 1');
    assert.equal(settled(), 1);
  });

  it('goes on from whatever state it was left in', async () => {
    const payment = await header();
    await charge(payment);
    const [row] = payments.marked('unsent', EVER, 1);
    assert.ok(row);
    const left = (state: KeptPayment['state']) =>
      payments.put({ ...row, state, nextTryAt: 0, receipt: null });
    for (const state of ['RESERVED', 'VERIFIED'] as const) {
      await left(state);
      await reopen();
      assert.equal(payments.find(row.id), undefined);
    }
    for (const state of ['SETTLING', 'UNKNOWN'] as const) {
      await left(state);
      await reopen();
      // The chain has it already, so it was this payment that used the nonce.
      await eventually('it is settled', () => rows().join() === 'SETTLED');
      assert.equal((await charge(payment)).reply.body, 'answer 1');
    }
    assert.equal(settled(), 1);
  });

  it('touches no payment that was over before its turn came, though it was open when it was listed', async () => {
    const payment = await header();
    await charge(payment);
    const [row] = payments.marked('unsent', EVER, 1);
    assert.ok(row);
    for (const state of ['RESERVED', 'SETTLING', 'UNKNOWN'] as const) {
      const stale: KeptPayment = { ...row, state, nextTryAt: 0, receipt: null };
      const marked: Payments['marked'] = (mark, upToAt, limit) =>
        mark === 'open' ? [stale] : payments.marked(mark, upToAt, limit);
      await reopen({ payments: { ...payments, marked } });
      await looked();
      // After a calendar that was set back, all are looked at.
      clock.now -= 1_000;
      await looked();
      assert.deepEqual(payments.find(row.id), row, state);
    }
  });

  it('leaves a settled payment to the process that has taken over, which tells every copy the same', async () => {
    const put = (row: KeptPayment) =>
      row.state === 'SETTLED' ? Promise.reject(closedError()) : payments.put(row);
    await reopen({ payments: { ...payments, put } });
    const payment = await header();
    assert.equal(await codeOf(charge(payment)), '503 payment_pending');
    await reopen();
    await eventually('it is settled', () => rows().join() === 'SETTLED');
    const [first, second] = [await charge(payment), await charge(payment)];
    assert.equal(first.reply.body, 'answer 1');
    assert.deepEqual(second.reply, first.reply);
    assert.equal(settled(), 1);
  });

  describe('on a full disk', () => {
    const full = () => Promise.reject(new StoreError('STORE_FULL', 'no space left'));
    const spoiled = (over: Partial<Payments>): Partial<PaymentServiceDeps> => ({
      payments: { ...payments, ...over },
    });

    it('charges for nothing that cannot be written', async () => {
      await reopen(spoiled({ reserve: full }));
      assert.equal(await codeOf(charge(await header())), '503 store_unavailable');
      for (const state of ['VERIFIED', 'SETTLING']) {
        const put = (row: KeptPayment) => (row.state === state ? full() : payments.put(row));
        await reopen(spoiled({ put, release: full }));
        const payment = await header();
        assert.equal(await codeOf(charge(payment)), '503 store_unavailable');
        await reopen(spoiled({}));
        assert.equal(await codeOf(charge(payment)), 'paid');
      }
      assert.equal(settled(), 2);
    });

    it('begins, and goes on with what was left once it can be written', async () => {
      const payment = await header();
      await charge(payment);
      const [row] = payments.marked('unsent', EVER, 1);
      assert.ok(row);
      for (const state of ['RESERVED', 'SETTLING'] as const) {
        await payments.put({ ...row, state, nextTryAt: EVER, receipt: null });
        let isFull = true;
        await reopen(
          spoiled({
            put: (next) => (isFull ? full() : payments.put(next)),
            release: (id) => (isFull ? full() : payments.release(id)),
          }),
        );
        await looked();
        assert.equal(payments.find(row.id)?.state, state);
        isFull = false;
        const expected = state === 'RESERVED' ? undefined : 'SETTLED';
        await eventually('it goes on', () => payments.find(row.id)?.state === expected);
      }
      assert.equal(settled(), 1);
    });

    it('calls no payment failed when that cannot be written, as it is settled again', async () => {
      const put = (row: KeptPayment) => (row.state === 'FAILED' ? full() : payments.put(row));
      await reopen(spoiled({ put }));
      const payment = await header();
      stand.facilitator.steer({ settle: 'refuse', times: 1 });
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      await reopen();
      await eventually('it is settled', () => rows().join() === 'SETTLED');
      assert.equal(await bodyOf(payment), 'answer 1');
    });

    it('gives the paid reply although the receipt cannot be written', async () => {
      const put = (row: KeptPayment) => (row.state === 'SETTLED' ? full() : payments.put(row));
      await reopen(spoiled({ put }));
      const payment = await header();
      assert.equal((await charge(payment)).reply.body, 'answer 1');
      assert.equal(await codeOf(charge(payment)), '503 payment_pending');
      await reopen();
      await eventually('it is settled', () => rows().join() === 'SETTLED');
      assert.equal((await charge(payment)).reply.body, 'answer 1');
      assert.equal(settled(), 1);
    });
  });
});
