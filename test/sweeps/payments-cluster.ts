import assert from 'node:assert/strict';
import { RequestError } from '../../src/errors.ts';
import { createRng } from '../../src/world/rng.ts';
import { openCallersWorld } from '../support/callers-world.ts';
import { SIGNALS } from '../support/payment-terms.ts';
import { createPayer, headerOf, openFacilitator } from '../support/payments.ts';

interface PaymentsClusterFigures {
  /** Of two payments: one while all is well, and one while the engine is replaced. */
  readonly copies: number;
  readonly paid: number;
  /** Of the second payment: what callers were told instead, by its code. */
  readonly refused: Readonly<Record<string, number>>;
  /** How often the facilitator was asked for the money; a new leader asks again when it cannot know. */
  readonly settleCalls: number;
}

interface Seen {
  paid: number;
  readonly replies: Set<string>;
  readonly refused: Record<string, number>;
}

const emptySeen = (): Seen => ({ paid: 0, replies: new Set(), refused: {} });

/** What a caller is told who sent a payment that is under way, or while the engine is being replaced. */
const EXPECTED = new Set([
  'payment_in_progress',
  'payment_pending',
  'engine_unavailable',
  'store_unavailable',
  'payments_unavailable',
]);

/**
 * Sends copies of a payment over two edges, and of another one while the leading engine is killed or frozen, until it is
 * answered. Rejects unless each is settled once and every reply to it is the same.
 */
export async function sweepPaymentsCluster(copies: number, seed: number): Promise<PaymentsClusterFigures> {
  const rng = createRng(seed, 'payments of a cluster');
  let wall = () => 0;
  const stand = await openFacilitator(() => wall());
  const world = await openCallersWorld({ seed, facilitator: stand });
  wall = world.wall;
  try {
    const first = await world.standby();
    const second = await world.standby();
    await world.lead(first);
    const edges = [await world.edge('edge-1'), await world.edge('edge-2')];
    const payer = createPayer();
    let answers = 0;

    /** Sends a payment over one of the edges, and notes what came of it. */
    async function send(payment: string, seen: Seen): Promise<void> {
      const payments = edges[rng.int(0, edges.length - 1)]?.callers.payments;
      assert.ok(payments);
      const body = JSON.stringify({ answer: ++answers });
      try {
        const { reply, sent } = await payments.charge({
          payment,
          path: SIGNALS,
          resource: SIGNALS,
          url: SIGNALS,
          address: '127.0.0.1',
          answer: async () => ({ status: 200, headers: {}, body }),
          isGone: () => false,
        });
        sent();
        seen.paid += 1;
        seen.replies.add(`${reply.headers['PAYMENT-RESPONSE']} ${reply.body}`);
      } catch (error) {
        if (!(error instanceof RequestError) || !EXPECTED.has(error.code)) throw error;
        seen.refused[error.code] = (seen.refused[error.code] ?? 0) + 1;
      }
    }

    function sendCopies(payment: string, count: number, seen: Seen): Promise<unknown> {
      return Promise.all(
        Array.from({ length: count }, () => {
          const waits = rng.int(0, 400);
          return new Promise<void>((resolve) => world.time.after(waits, resolve)).then(() =>
            send(payment, seen),
          );
        }),
      );
    }

    const calm = emptySeen();
    const undisturbed = headerOf(await payer.sign({ nowMs: wall() }));
    await world.settled(sendCopies(undisturbed, copies, calm));
    await world.settled(send(undisturbed, calm));
    const { settleCalls: once } = stand.facilitator.state();
    assert.equal(once, 1, `two edges settle a payment once: ${JSON.stringify(calm.refused)}`);
    assert.equal(calm.replies.size, 1, 'every copy is answered alike');

    // The engine may be replaced at any step of the payment.
    const seen = emptySeen();
    const payment = headerOf(await payer.sign({ nowMs: wall() }));
    stand.fail('slow', 'settle', { times: 1, delayMs: rng.int(0, 60) });
    const before = sendCopies(payment, Math.ceil(copies / 2), seen);
    before.catch(() => undefined);
    await world.time.advance(rng.int(0, 450));
    if (rng.chance(0.5)) first.node.kill();
    else {
      first.node.freeze();
      world.time.after(rng.int(500, 5_000), () => first.node.resume());
    }
    await world.time.advance(rng.int(0, 2_500));
    await world.lead(second);
    await world.settled(Promise.all([before, sendCopies(payment, Math.floor(copies / 2), seen)]));
    for (let tries = 0; seen.paid === 0 && tries < 300; tries++) {
      // A payment whose outcome is not known is settled again after a while.
      await world.settled(send(payment, seen));
      await world.time.advance(1_000);
    }
    assert.ok(seen.paid > 0, `the payment was never answered: ${JSON.stringify(seen.refused)}`);
    // What the frozen one still does comes to nothing.
    await world.time.advance(10_000);
    await world.settled(send(payment, seen));
    const { settled, settleCalls } = stand.facilitator.state();
    assert.equal(Object.keys(settled).length, 2, 'one settlement of each payment');
    assert.equal(seen.replies.size, 1, 'every copy is answered alike');
    return { copies: 2 * copies, paid: calm.paid + seen.paid, refused: { ...seen.refused }, settleCalls };
  } finally {
    await world.close();
    await stand.close();
  }
}
