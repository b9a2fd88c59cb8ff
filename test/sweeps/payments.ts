import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { openPaymentServer } from '../server/payment-server.ts';
import { type Child, startChild } from '../support/child.ts';
import { MUTATIONS } from '../support/payment-mutations.ts';
import { createPayer, type FacilitatorStand, headerOf, openFacilitator } from '../support/payments.ts';

type Report = (line: string) => void;

/** Sends copies of one payment at once, with a store on disk: one is settled, all are answered alike or 409. */
export async function sweepCopies(copies: number, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-copies-'));
  const store = await openStore(folder);
  const server = await openPaymentServer({ payments: store.payments });
  try {
    const payment = await server.sign();
    // Long enough for many to find it under way.
    server.stand.fail('slow', 'settle', { times: 1, delayMs: 300 });
    const responses = await Promise.all(Array.from({ length: copies }, () => server.pay(payment)));
    const bodies = new Set<string>();
    let paid = 0;
    for (const response of responses) {
      assert.ok(response.status === 200 || response.status === 409, `status ${response.status}`);
      const body = await response.text();
      if (response.status !== 200) continue;
      paid++;
      bodies.add(`${response.headers.get('PAYMENT-RESPONSE')} ${body}`);
    }
    assert.equal(bodies.size, 1);
    assert.equal(server.stand.facilitator.state().settleCalls, 1);
    assert.equal(
      server.reports.filter((each) => each.type === 'outcome' && each.outcome === 'settled').length,
      1,
    );
    report(`${copies} copies at once: 1 settled, ${paid} answered alike, ${copies - paid} asked to wait`);
  } finally {
    await server.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Spoils a payment in every way: all are refused, and none reaches a settlement. */
export async function sweepMutations(times: number, report: Report): Promise<void> {
  const server = await openPaymentServer();
  try {
    for (let time = 0; time < times; time++) {
      for (const [name, spoil] of MUTATIONS) {
        // Far enough apart that the address is not held back.
        server.clock.now += 10_000;
        const { status } = await server.pay(headerOf(spoil(await server.sign())));
        assert.ok(status === 400 || status === 402, `${name}: ${status}`);
      }
    }
    assert.equal(server.stand.facilitator.state().settleCalls, 0);
    report(`${MUTATIONS.length} mutations ${times} times: all refused, 0 settled`);
  } finally {
    await server.close();
  }
}

interface CrashPoint {
  readonly dieAt: string;
  readonly spoil?: (stand: FacilitatorStand) => void;
  /** What the facilitator does after the kill. */
  readonly spoilNext?: (stand: FacilitatorStand) => void;
  /** Whether the caller gets the answer in the end. */
  readonly isPaid: boolean;
}

/** After each state, and between a settlement and the write of its outcome. */
const CRASH_POINTS: readonly CrashPoint[] = [
  { dieAt: 'RESERVED', isPaid: true },
  { dieAt: 'VERIFIED', isPaid: true },
  { dieAt: 'SETTLING', isPaid: true },
  { dieAt: 'before SETTLED', isPaid: true },
  { dieAt: 'SETTLED', isPaid: true },
  {
    dieAt: 'UNKNOWN',
    isPaid: true,
    spoil: ({ fail }) => fail('reset', 'settle', { times: 1 }),
  },
  {
    dieAt: 'UNKNOWN',
    isPaid: true,
    spoil: ({ facilitator }) => facilitator.steer({ settle: 'lose', times: 1 }),
    spoilNext: ({ facilitator }) => facilitator.steer({ settle: 'refuse', times: 2 }),
  },
  {
    dieAt: 'before SETTLED',
    isPaid: true,
    spoilNext: ({ facilitator }) => facilitator.steer({ settle: 'refuse', times: 1 }),
  },
  {
    dieAt: 'UNKNOWN',
    isPaid: true,
    spoil: ({ facilitator }) => facilitator.steer({ settle: 'lose', times: 1 }),
    spoilNext: ({ facilitator }) => facilitator.steer({ settle: 'busy', times: 1 }),
  },
  {
    dieAt: 'FAILED',
    isPaid: false,
    spoil: ({ facilitator }) => facilitator.steer({ settle: 'refuse', times: 1 }),
  },
];

/** Longer than the wait before an open payment is settled again. */
const STEP_MS = 20_000;

/** Kills the service at every point and sends the same payment to the next one. */
export async function sweepCrashes(times: number, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-payments-'));
  let offsetMs = 0;
  const stand = await openFacilitator(() => Date.now() + offsetMs);
  const payer = createPayer();
  const startService = () =>
    startChild(new URL('./payment-child.js', import.meta.url), [folder, stand.url, String(offsetMs)]);
  let service = startService();

  async function answerTo(payment: string): Promise<string> {
    const answered = once(service.process, 'message');
    service.process.send({ payment, dieAt: '', offsetMs });
    const [message] = await answered;
    return z.object({ answer: z.string() }).parse(message).answer;
  }

  /** The answer to a caller that sends the same payment again as long as it is asked to. */
  async function finalAnswerTo(payment: string): Promise<string> {
    for (let tries = 0; tries < 500; tries++) {
      const answer = await answerTo(payment);
      if (!answer.startsWith('503 payment_pending') && !answer.startsWith('409')) return answer;
      offsetMs += 1_000;
      // Longer than the service waits between two looks after open payments.
      await delay(30);
    }
    throw new Error('a payment stayed open');
  }

  try {
    await ready(service);
    for (let time = 1; time <= times; time++) {
      for (const { dieAt, spoil, spoilNext, isPaid } of CRASH_POINTS) {
        const payment = headerOf(await payer.sign({ nowMs: Date.now() + offsetMs }));
        const settledBefore = settledBy(stand);
        spoil?.(stand);
        service.process.send({ payment, dieAt, offsetMs });
        assert.equal(await service.ended(), 'SIGKILL', dieAt);
        offsetMs += STEP_MS;
        spoilNext?.(stand);
        service = startService();
        await ready(service);
        const answer = await finalAnswerTo(payment);
        const moved = settledBy(stand) - settledBefore;
        assert.equal(moved, isPaid ? 1 : 0, `${dieAt}: the money moved ${moved} times`);
        assert.match(answer, isPaid ? /^200 answer/ : /^402 payment_failed$/, dieAt);
        assert.equal(await answerTo(payment), answer, `${dieAt}: answered otherwise the second time`);
      }
      report(
        `crash ${time} of ${times} after each of ${CRASH_POINTS.length} points: no money moved twice, no answer lost`,
      );
    }
  } finally {
    service.process.kill('SIGKILL');
    await service.ended();
    await stand.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function settledBy(stand: FacilitatorStand): number {
  return Object.keys(stand.facilitator.state().settled).length;
}

async function ready(service: Child): Promise<void> {
  await service.firstMessage(
    (message) => typeof message === 'object' && message !== null && 'isReady' in message,
  );
}
