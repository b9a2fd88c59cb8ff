import type { KeptPayment, Store } from '../../src/store/store.ts';
import type { OnKept } from './simulated-disk.ts';
import type { Violations } from './violations.ts';

/** A payment that a buyer has signed. */
export interface SignedPayment {
  /** `network|asset|payer|nonce` in lower case. */
  readonly id: string;
  /** `payer|nonce` in lower case, as the chain knows it. */
  readonly transfer: string;
  /** What is bought. A buyer signs another payment for it only once they are told that the last one is not taken. */
  readonly purchase: number;
}

/** What a buyer is told of a payment: its answer, or that it buys nothing. */
export type Told =
  | { readonly type: 'served'; readonly body: string }
  | { readonly type: 'refused' | 'failed' }
  | { readonly type: 'used' };

export interface PaidAnswers {
  onSigned(payment: SignedPayment): void;
  onTold(payment: SignedPayment, told: Told): void;
  readonly onKept: OnKept;
  /** To be called again and again: what must hold while faults go on too. */
  check(): void;
  /** What was paid so many ms ago must be answered. */
  checkServed(afterMs: number): void;
}

interface PaidAnswersDeps {
  readonly kept: { readonly payments: Pick<Store['payments'], 'find'> };
  /** The transfers that the chain has, by `payer|nonce`. */
  readonly transfers: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;
  /** Ms of a clock that never goes back. */
  readonly now: () => number;
  readonly violations: Pick<Violations<16>, 'check'>;
}

/** In these states of a payment its answer is on disk, so the money may move. */
const CHARGEABLE: readonly KeptPayment['state'][] = ['SETTLING', 'UNKNOWN', 'SETTLED'];

/** Compares what buyers are told with the disk and with the chain. */
export function createPaidAnswers({ kept, transfers, now, violations }: PaidAnswersDeps): PaidAnswers {
  const { check } = violations;
  const signed = new Map<string, SignedPayment>();
  /** By payment. */
  const served = new Map<string, string>();
  const refused = new Set<string>();
  const over = new Set<string>();
  /** Payments that were kept as settled. */
  const settled = new Set<string>();
  /** When a transfer was first seen. */
  const seenAt = new Map<string, number>();

  return {
    onSigned(payment) {
      signed.set(payment.transfer, payment);
    },

    onTold({ id, transfer }, told) {
      switch (told.type) {
        case 'served': {
          const before = served.get(id) ?? told.body;
          check(16, before === told.body, () => `${id} was answered ${before}, and then ${told.body}`);
          check(16, transfers.has(transfer), () => `${id} was answered and never paid`);
          served.set(id, told.body);
          return;
        }
        case 'used': {
          const row = kept.payments.find(id);
          const isDropped = row?.state === 'SETTLED' && row.sentAt !== null && row.reply === null;
          check(16, isDropped, () => `${id} is called used, and is ${JSON.stringify(row)}`);
          over.add(id);
          return;
        }
        case 'failed':
        case 'refused':
          refused.add(id);
          check(16, !transfers.has(transfer), () => `${id} is called ${told.type}, and was paid`);
      }
    },

    onKept(part, method, [written]) {
      if (part !== 'payments') return;
      if (method === 'release') {
        check(16, !settled.has(String(written)), () => `${written} was settled, and is forgotten`);
        return;
      }
      if (method === 'prune') return;
      // What reserves and puts is a payment. A reservation changes nothing where the id is taken.
      const { id, state: writtenState } = written as KeptPayment;
      const [, , payer, nonce] = id.split('|');
      if (writtenState === 'SETTLING')
        check(
          16,
          !transfers.has(`${payer}|${nonce}`),
          () => `${id} was paid before it was on disk that it would be`,
        );
      const state = kept.payments.find(id)?.state;
      check(16, state === 'SETTLED' || !settled.has(id), () => `${id} was settled, and is ${state} again`);
      if (state === 'SETTLED') settled.add(id);
    },

    check() {
      const perPurchase = new Map<number, string>();
      for (const transfer of transfers.keys()) {
        if (!seenAt.has(transfer)) seenAt.set(transfer, now());
        const payment = signed.get(transfer);
        check(16, payment !== undefined, () => `${transfer} was paid, and nobody signed it`);
        if (payment === undefined) continue;
        const { id, purchase } = payment;
        const other = perPurchase.get(purchase);
        check(16, other === undefined, () => `purchase ${purchase} was paid with ${other} and with ${id}`);
        perPurchase.set(purchase, id);
        const state = kept.payments.find(id)?.state;
        check(
          16,
          state !== undefined && CHARGEABLE.includes(state),
          () => `${id} was paid, and is ${state ?? 'not'} on disk`,
        );
        check(16, !refused.has(id), () => `${id} was paid after it was called refused`);
      }
    },

    checkServed(afterMs) {
      for (const [transfer, at] of seenAt) {
        if (now() - at < afterMs) continue;
        const id = signed.get(transfer)?.id ?? transfer;
        check(16, served.has(id) || over.has(id), () => {
          const row = kept.payments.find(id);
          return `${id} was paid and never answered, and is ${JSON.stringify(row)}`;
        });
      }
    },
  };
}
