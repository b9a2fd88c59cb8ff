import type { KeptPayment, PaymentMark, Payments } from '../store.ts';
import type { Environment } from './environment.ts';
import { decodeChecked, encodeChecked } from './stored-text.ts';

type Mark = [mark: PaymentMark | 'until', at: number, id: string];

/** Under which marks a payment is found again. */
export function marksOf({
  id,
  state,
  validBeforeAt,
  changedAt,
  nextTryAt,
  sentAt,
  reply,
}: KeptPayment): Mark[] {
  const marks: Mark[] = [['until', validBeforeAt, id]];
  if (nextTryAt !== null) marks.push(['open', nextTryAt, id]);
  if (state === 'SETTLED' && sentAt === null) marks.push(['unsent', changedAt, id]);
  if (reply !== null && sentAt !== null) marks.push(['spare', changedAt, id]);
  return marks;
}

/** Payments under their id, and marks that lead to those to be looked at without reading all. */
export function openPayments({ durable, root, payments, paymentMarks }: Environment): Payments {
  const find = (id: string) => {
    const row = payments.get(id);
    return row === undefined ? undefined : decodeChecked<KeptPayment>(row, `the payment ${id}`);
  };

  function write(payment: KeptPayment): void {
    void payments.put(payment.id, encodeChecked(payment));
    for (const mark of marksOf(payment)) void paymentMarks.put(mark, '');
  }

  function remove(payment: KeptPayment): void {
    void payments.remove(payment.id);
    for (const mark of marksOf(payment)) void paymentMarks.remove(mark);
  }

  function idsOf(mark: Mark[0], upToAt: number, limit: number): string[] {
    const range = { start: [mark, 0, ''] as Mark, end: [mark, upToAt + 1, ''] as Mark, limit };
    return Array.from(paymentMarks.getKeys(range), ([, , id]) => id);
  }

  return {
    find,
    async reserve(payment) {
      const written = payments.ifNoExists(payment.id, () => write(payment));
      await durable(written, 'a payment');
      return written;
    },
    async put(payment) {
      const before = find(payment.id);
      const written = root.batch(() => {
        if (before !== undefined) remove(before);
        write(payment);
      });
      await durable(written, 'a payment');
    },
    async release(id) {
      const before = find(id);
      if (before === undefined) return;
      await durable(
        root.batch(() => remove(before)),
        'a payment',
      );
    },
    marked: (mark, upToAt, limit) =>
      idsOf(mark, upToAt, limit).flatMap((id) => {
        const payment = find(id);
        return payment === undefined ? [] : [payment];
      }),
    async prune(beforeAt, maxRows) {
      const old = idsOf('until', beforeAt - 1, maxRows).flatMap((id) => find(id) ?? []);
      if (old.length === 0) return 0;
      const written = root.batch(() => {
        for (const payment of old) remove(payment);
      });
      await durable(written, 'the end of old payments');
      return old.length;
    },
  };
}
