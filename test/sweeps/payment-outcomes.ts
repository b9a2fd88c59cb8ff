import assert from 'node:assert/strict';
import type { Hex } from 'viem';
import { RequestError } from '../../src/errors.ts';
import { openPaymentService } from '../../src/payments/payment-service.ts';
import type { FaultRule, Faults } from '../../src/world/control/faults.ts';
import { createRng, hex, type Rng } from '../../src/world/rng.ts';
import { SETTLE_BEHAVIOURS } from '../../src/world/wire/facilitator.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryPayments } from '../support/memory-store/payments.ts';
import { SIGNALS, TERMS } from '../support/payment-terms.ts';
import {
  createPayer,
  type FacilitatorStand,
  faultRule,
  headerOf,
  openFacilitator,
} from '../support/payments.ts';

type Behaviour = (typeof SETTLE_BEHAVIOURS)[number];

/** What may become of a call to settle. Some of the faults move the money, others do not. */
const SETTLE: readonly [Behaviour, ...(Behaviour | FaultRule)[]] = [
  ...SETTLE_BEHAVIOURS,
  faultRule({ kind: 'status', status: 500 }),
  faultRule({ kind: 'status', status: 429, retryAfter: '30' }),
  faultRule({ kind: 'html', status: 200 }),
  faultRule({ kind: 'truncated' }),
  faultRule({ kind: 'wrong-types' }),
  faultRule({ kind: 'reset' }),
  faultRule({ kind: 'slow', delayMs: 150 }),
];
const VERIFY: readonly [undefined, ...FaultRule[]] = [
  undefined,
  faultRule({ kind: 'status', status: 500 }),
  faultRule({ kind: 'reset' }),
];
/** Below the delay of a slow answer, which then comes too late. */
const SETTLE_TIMEOUT_MS = 100;
const START = Date.UTC(2026, 0, 1);

interface Trouble {
  /** The chance that a call goes otherwise than it should. */
  share: number;
}

/** Decides about each call by chance; with no share left all are honest. */
function troubledBy(rng: Rng, trouble: Trouble, steer: (settle: Behaviour) => void): Faults {
  return {
    add: () => undefined,
    clear: () => undefined,
    list: () => [],
    take(role, url) {
      const isTroubled = rng.chance(trouble.share);
      if (role === 'chain') return isTroubled && rng.chance(0.5) ? faultRule({ kind: 'status' }) : undefined;
      if (url.includes('verify')) return isTroubled && rng.chance(0.2) ? rng.pick(VERIFY) : undefined;
      const chosen = isTroubled ? rng.pick(SETTLE) : 'honest';
      if (typeof chosen !== 'string') return chosen;
      steer(chosen);
      return undefined;
    },
  };
}

interface Ending {
  readonly answer: string;
  readonly transfers: number;
  /** Whether its outcome showed only after a node of the chain was configured. */
  readonly isLeftOpen: boolean;
}

/**
 * A buyer wants one answer. They send the payment again as long as they are asked to, and sign a new one only when they
 * are told that the last one failed. Meanwhile calls fail, answers get lost, and the service restarts.
 */
async function buyOnce(seed: number, run: number): Promise<Ending> {
  const rng = createRng(seed, run);
  const clock = { now: START };
  const trouble: Trouble = { share: rng.between(0.3, 1) };
  let hasNode = rng.chance(0.5);
  let made = 0;
  const payer = createPayer((bytes): Hex => `0x${hex(bytes * 2, seed, run, ++made)}`);
  let stand: FacilitatorStand | undefined;
  const steer = (settle: Behaviour) => stand?.facilitator.steer({ settle, times: 1 });
  stand = await openFacilitator(() => clock.now, troubledBy(rng, trouble, steer));
  const { url, nodeUrl, chain } = stand;
  // Enough for exactly one answer: a second try to take it meets insufficient funds.
  if (rng.chance(0.5)) chain.setBalance(payer.address, TERMS.price);

  const payments = createMemoryPayments();
  let served = 0;
  const open = () =>
    openPaymentService({
      terms: TERMS,
      facilitator: { url, settleTimeoutMs: SETTLE_TIMEOUT_MS },
      node: hasNode ? { url: nodeUrl } : undefined,
      payments,
      now: () => clock.now,
      agreedNow: () => clock.now,
      mono: () => clock.now,
      report: () => undefined,
      everyMs: 2,
    });
  let service = await open();
  const send = async (payment: string): Promise<string> => {
    try {
      const { reply, sent } = await service.charge({
        payment,
        path: SIGNALS,
        resource: SIGNALS,
        url: `http://localhost${SIGNALS}`,
        address: String(clock.now),
        answer: async () => ({ status: 200, headers: {}, body: `answer ${++served}` }),
        isGone: () => false,
      });
      sent();
      return reply.body;
    } catch (error) {
      if (error instanceof RequestError) return error.code;
      throw error;
    }
  };
  const sign = async () => headerOf(await payer.sign({ nowMs: clock.now }));
  const transfers = () => chain.transfers.size;
  /** The clock goes on meanwhile, as a busy facilitator is not asked before its time. */
  const settleDue = () =>
    eventually('what is due is done', () => {
      clock.now += 100;
      return payments.marked('open', clock.now, 1).length === 0;
    });

  try {
    let payment = '';
    let answer = '';
    for (let step = 0; step < 40 && !answer.startsWith('answer'); step++) {
      if (step === 12) trouble.share = 0;
      // Told that the last one failed, or that it was never taken.
      if (step === 0 || answer === 'payment_failed' || answer === 'payment_refused') {
        assert.equal(transfers(), 0, `${answer} although the payment was settled`);
        payment = await sign();
      }
      answer = await send(payment);
      if (rng.chance(0.2)) {
        await service.close();
        service = await open();
      }
      clock.now += step < 12 ? rng.int(1_000, 30_000) : 10 * MINUTE_MS;
      await settleDue();
    }
    const isLeftOpen = answer === 'payment_unresolved';
    if (isLeftOpen) {
      assert.ok(!hasNode, 'a payment stayed open although the chain shows what became of it');
      hasNode = true;
      await service.close();
      service = await open();
      clock.now += HOUR_MS;
      await settleDue();
      answer = await send(payment);
    }
    assert.ok(clock.now < START + 30 * DAY_MS);
    assert.ok(transfers() <= 1, `paid ${transfers()} times for one answer`);
    if (transfers() === 1) {
      assert.match(answer, /^answer/, 'paid and never served');
      assert.equal(await send(payment), answer, 'answered otherwise the second time');
    } else if (hasNode) assert.equal(answer, 'payment_failed', 'neither paid nor failed');
    return { answer, transfers: transfers(), isLeftOpen };
  } finally {
    await service.close();
    await stand.close();
  }
}

/** Runs many purchases, each with outcomes of its own; the same seed gives the same ones. */
export async function sweepOutcomes(
  { seed, count }: { readonly seed: number; readonly count: number },
  report: (line: string) => void,
): Promise<void> {
  const endings = new Map<string, number>();
  for (let run = 0; run < count; run++) {
    const { answer, transfers, isLeftOpen } = await buyOnce(seed, run).catch((cause: unknown) => {
      throw new Error(`seed ${seed}, purchase ${run}`, { cause });
    });
    const paid = transfers === 1 ? 'paid once' : 'not paid';
    const ending = `${answer.replace(/ \d+$/, '')}, ${paid}${isLeftOpen ? ', with a node' : ''}`;
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    if ((run + 1) % 100 === 0) report(`${run + 1} of ${count} purchases`);
  }
  const table = [...endings].map(([ending, times]) => `${times} × ${ending}`).join('; ');
  report(
    `seed ${seed}, ${count} purchases with lost and unclear outcomes: ${table}; none paid twice or unserved`,
  );
}
