import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { openShop } from '../server/payment-server.ts';
import { type Child, startChild } from '../support/child.ts';
import { MUTATIONS } from '../support/payment-mutations.ts';
import { createPayer, type FacilitatorStand, headerOf, openFacilitator } from '../support/payments.ts';

type Report = (line: string) => void;

/** So many copies of one payment at once, against a store on disk: one is settled, all are answered alike or 409. */
export async function sweepCopies(copies: number, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-copies-'));
  const store = await openStore(folder);
  const shop = await openShop({ payments: store.payments });
  try {
    const payment = await shop.sign();
    // Long enough for many to find it under way.
    shop.stand.fail('slow', 'settle', { times: 1, delayMs: 300 });
    const responses = await Promise.all(Array.from({ length: copies }, () => shop.pay(payment)));
    const bodies = new Set<string>();
    let sold = 0;
    for (const response of responses) {
      assert.ok(response.status === 200 || response.status === 409, `status ${response.status}`);
      const body = await response.text();
      if (response.status !== 200) continue;
      sold++;
      bodies.add(`${response.headers.get('PAYMENT-RESPONSE')} ${body}`);
    }
    assert.equal(bodies.size, 1);
    assert.equal(shop.stand.facilitator.state().settleCalls, 1);
    assert.equal(
      shop.reports.filter((each) => each.type === 'outcome' && each.outcome === 'settled').length,
      1,
    );
    report(`${copies} copies at once: 1 settled, ${sold} answered alike, ${copies - sold} told to wait`);
  } finally {
    await shop.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Every way to spoil a payment, so many times: all are refused, and none reaches a settlement. */
export async function sweepMutations(times: number, report: Report): Promise<void> {
  // Its time goes on, so that refused payments are forgiven.
  const shop = await openShop();
  try {
    for (let time = 0; time < times; time++) {
      for (const [name, spoil] of MUTATIONS) {
        shop.clock.now += 10_000;
        const { status } = await shop.pay(headerOf(spoil(await shop.sign())));
        assert.ok(status === 400 || status === 402, `${name}: ${status}`);
      }
    }
    assert.equal(shop.stand.facilitator.state().settleCalls, 0);
    report(`${MUTATIONS.length} mutations ${times} times: all refused, 0 settled`);
  } finally {
    await shop.close();
  }
}

interface CrashPoint {
  readonly dieAt: string;
  readonly spoil?: (stand: FacilitatorStand) => void;
  /** Whether the caller has his answer in the end. */
  readonly isSold: boolean;
}

/** After each state, and between a settlement and the word of it. */
const CRASH_POINTS: readonly CrashPoint[] = [
  { dieAt: 'RESERVED', isSold: true },
  { dieAt: 'VERIFIED', isSold: true },
  { dieAt: 'SETTLING', isSold: true },
  { dieAt: 'before SETTLED', isSold: true },
  { dieAt: 'SETTLED', isSold: true },
  {
    dieAt: 'UNKNOWN',
    isSold: true,
    spoil: ({ fail }) => fail('reset', 'settle', { times: 1 }),
  },
  {
    dieAt: 'FAILED',
    isSold: false,
    spoil: ({ facilitator }) => facilitator.steer({ settle: 'refuse', times: 1 }),
  },
];

/** Past the time after which an open outcome is asked for again. */
const STEP_MS = 20_000;

/** Kills the seller at every point, so many times, and asks the next one with the same payment. */
export async function sweepCrashes(times: number, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-payments-'));
  let offsetMs = 0;
  const stand = await openFacilitator(() => Date.now() + offsetMs);
  const payer = createPayer();
  const startSeller = () =>
    startChild(new URL('./payment-child.js', import.meta.url), [folder, stand.url, String(offsetMs)]);
  let seller = startSeller();
  try {
    for (let time = 1; time <= times; time++) {
      for (const { dieAt, spoil, isSold } of CRASH_POINTS) {
        const payment = headerOf(await payer.sign({ nowMs: Date.now() + offsetMs }));
        const settledBefore = settledBy(stand);
        spoil?.(stand);
        await ready(seller);
        seller.process.send({ payment, dieAt });
        assert.equal(await seller.ended(), 'SIGKILL', dieAt);
        offsetMs += STEP_MS;
        seller = startSeller();
        const answer = await finalAnswer(seller, payment);
        const moved = settledBy(stand) - settledBefore;
        assert.equal(moved, isSold ? 1 : 0, `${dieAt}: the money moved ${moved} times`);
        assert.match(answer, isSold ? /^200 answer/ : /^402 payment_failed$/, dieAt);
        assert.equal(await answerOf(seller, payment), answer, `${dieAt}: answered otherwise the second time`);
      }
      report(
        `crash ${time} of ${times} after each of ${CRASH_POINTS.length} points: no money moved twice, no answer lost`,
      );
    }
  } finally {
    seller.process.kill('SIGKILL');
    await seller.ended();
    await stand.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function settledBy(stand: FacilitatorStand): number {
  return Object.keys(stand.facilitator.state().settled).length;
}

async function ready(seller: Child): Promise<void> {
  await seller.heard((message) => typeof message === 'object' && message !== null && 'isReady' in message);
}

async function answerOf(seller: Child, payment: string): Promise<string> {
  await ready(seller);
  const answered = once(seller.process, 'message');
  seller.process.send({ payment, dieAt: '' });
  const [message] = await answered;
  return z.object({ answer: z.string() }).parse(message).answer;
}

/** What a caller learns who sends the same payment again as long as he is told to. */
async function finalAnswer(seller: Child, payment: string): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const answer = await answerOf(seller, payment);
    if (!answer.startsWith('503 payment_pending') && !answer.startsWith('409')) return answer;
    await delay(10);
  }
  throw new Error('a payment stayed open');
}
