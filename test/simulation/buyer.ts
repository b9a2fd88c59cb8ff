import type { Hex } from 'viem';
import * as z from 'zod';
import type { PaymentTerms } from '../../src/payments/terms.ts';
import { createPayer, headerOf } from '../support/payments.ts';
import type { Chance } from './chance.ts';
import type { PaidAnswers, SignedPayment } from './paid-answers.ts';

interface BuyerOptions {
  /** Whom to ask this time. */
  readonly url: () => string;
  readonly random: Chance;
  /** Makes the key and the nonces: so many bytes, never the same twice. */
  readonly hexOf: (bytes: number) => Hex;
  /** UTC ms, whatever the calendar of the engine shows. */
  readonly now: () => number;
  readonly answers: Pick<PaidAnswers, 'onSigned' | 'onTold'>;
  /** How many times longer the next pause between two purchases may be than it usually is; 1 unless given. */
  readonly slowness?: () => number;
  /** Told what becomes of each request. */
  readonly onAnswer: (what: string) => void;
}

const PATHS = ['/api/v1/signals/account_a', '/api/v1/signals/account_b'] as const;
/** Between two purchases, at most. */
const PAUSE_MS = 60_000;
/** Before the same payment is sent again, at most. */
const AGAIN_MS = 8_000;
/** Some buyers leave before their answer comes, and come back. */
const LEAST_PATIENCE_MS = 300;
const MOST_PATIENCE_MS = 60_000;
/** Statuses after which the same payment is sent again, besides those of a service that fails. */
const AGAIN: readonly number[] = [409, 429];
/** Signatures for one purchase. */
const MOST_PAYMENTS = 6;

const offerShape = z.object({
  accepts: z.tuple([
    z.object({
      network: z.templateLiteral(['eip155:', z.string()]),
      asset: z.string(),
      payTo: z.string(),
      amount: z.string(),
      extra: z.object({ name: z.string(), version: z.string() }),
    }),
  ]),
});
const refusalShape = z.object({ code: z.string() });

interface Answer {
  readonly status: number;
  readonly offer: string | null;
  readonly body: string;
}

/**
 * Buys single answers one after the other, as a program of a user would: it sends the same payment again until it is
 * answered, and signs another one only when it is told that the last one is not taken.
 */
export function startBuyer(options: BuyerOptions): void {
  const { url, random, hexOf, now, answers, slowness = () => 1, onAnswer } = options;
  const payer = createPayer(hexOf);
  let purchases = 0;
  let terms: PaymentTerms | undefined;

  const pause = (mostMs: number) => new Promise((resolve) => setTimeout(resolve, random() * mostMs));

  /** Undefined where none came. */
  async function ask(path: string, headers: Readonly<Record<string, string>>): Promise<Answer | undefined> {
    const patienceMs = LEAST_PATIENCE_MS + random() ** 2 * (MOST_PATIENCE_MS - LEAST_PATIENCE_MS);
    try {
      const response = await fetch(url() + path, { headers, signal: AbortSignal.timeout(patienceMs) });
      const body = await response.text();
      return { status: response.status, offer: response.headers.get('PAYMENT-REQUIRED'), body };
    } catch {
      return undefined;
    }
  }

  async function termsFor(path: string): Promise<PaymentTerms> {
    for (;;) {
      const offer = (await ask(path, {}))?.offer;
      if (offer) {
        const [{ network, asset, payTo, amount, extra }] = offerShape.parse(
          JSON.parse(Buffer.from(offer, 'base64').toString()),
        ).accepts;
        const names = { assetName: extra.name, assetVersion: extra.version };
        return { network, asset, payTo, ...names, price: BigInt(amount), prices: [] };
      }
      await pause(AGAIN_MS);
    }
  }

  async function sign(path: string, terms: PaymentTerms, purchase: number) {
    const signed = await payer.sign({ nowMs: now(), path, terms });
    const { from, nonce } = signed.payload.authorization;
    const transfer = `${from}|${nonce}`.toLowerCase();
    const payment: SignedPayment = {
      id: `${terms.network}|${terms.asset}|${transfer}`.toLowerCase(),
      transfer,
      purchase,
    };
    answers.onSigned(payment);
    return { payment, header: headerOf(signed) };
  }

  /** Sends a payment until it buys its answer or is told that it never will. */
  async function send(path: string, payment: SignedPayment, header: string): Promise<'served' | 'not taken'> {
    for (;;) {
      const answer = await ask(path, { 'PAYMENT-SIGNATURE': header });
      const code = answer === undefined ? 'no answer' : codeOf(answer);
      onAnswer(code);
      switch (code) {
        case 'served':
          answers.onTold(payment, { type: 'served', body: answer?.body ?? '' });
          return 'served';
        case 'payment_failed':
          answers.onTold(payment, { type: 'failed' });
          return 'not taken';
        case 'payment_refused':
          answers.onTold(payment, { type: 'refused' });
          return 'not taken';
        case 'payment_used':
          answers.onTold(payment, { type: 'used' });
          return 'served';
        default:
          if (answer !== undefined && answer.status < 500 && !AGAIN.includes(answer.status))
            throw new Error(`a payment is answered ${answer.status} ${code}`);
          await pause(AGAIN_MS);
      }
    }
  }

  async function buy(path: string): Promise<void> {
    const purchase = ++purchases;
    terms ??= await termsFor(path);
    for (let signatures = 0; signatures < MOST_PAYMENTS; signatures++) {
      const { payment, header } = await sign(path, terms, purchase);
      if ((await send(path, payment, header)) === 'served') {
        if (random() < 0.3) await send(path, payment, header);
        return;
      }
      await pause(PAUSE_MS);
    }
  }

  async function buyOn(): Promise<never> {
    for (;;) {
      await pause(PAUSE_MS * slowness());
      await buy(PATHS[purchases % PATHS.length] ?? PATHS[0]);
    }
  }

  void buyOn();
}

function codeOf({ status, body }: Answer): string {
  if (status === 200) return 'served';
  try {
    return refusalShape.parse(JSON.parse(body)).code;
  } catch {
    return `status ${status}`;
  }
}
