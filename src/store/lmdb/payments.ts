import type { KeptPayment, PaymentMark, Payments } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

type Mark = [mark: PaymentMark | 'until', at: number, id: string];

/** The marks of a payment. */
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

/** Throws unless every payment has its marks and every mark its payment. */
export function checkPayments({ payments, paymentMarks, damage }: Environment): void {
  let expected = 0;
  for (const { key, value } of payments.getRange()) {
    for (const mark of marksOf(parseStored<KeptPayment>(value, `the payment ${key}`))) {
      if (!paymentMarks.has(mark))
        throw damage('paymentMarks', `the payment ${key} lacks its mark ${mark[0]}`);
      expected += 1;
    }
  }
  let found = 0;
  for (const _ of paymentMarks.getKeys()) found += 1;
  if (found !== expected) {
    throw damage('payments', `there are ${found} marks of payments, expected ${expected}`);
  }
}

/** Payments under their id, and marks by which those that need work are found without reading all. */
export function openPayments({ durable, root, payments, paymentMarks }: Environment): Payments {
  const find = (id: string) => {
    const row = payments.get(id);
    return row === undefined ? undefined : parseStored<KeptPayment>(row, `the payment ${id}`);
  };

  function write(payment: KeptPayment): void {
    void payments.put(payment.id, JSON.stringify(payment));
    for (const mark of marksOf(payment)) void paymentMarks.put(mark, '');
  }

  function remove(payment: KeptPayment): void {
    void payments.remove(payment.id);
    for (const mark of marksOf(payment)) void paymentMarks.remove(mark);
  }

  function marked(mark: Mark[0], upToAt: number, limit: number): KeptPayment[] {
    const range = { start: [mark, 0, ''] as Mark, end: [mark, upToAt + 1, ''] as Mark, limit };
    return [...paymentMarks.getKeys(range)].flatMap(([, , id]) => find(id) ?? []);
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
    marked,
    async prune(beforeAt, maxRows) {
      const old = marked('until', beforeAt - 1, maxRows);
      if (old.length === 0) return 0;
      const written = root.batch(() => {
        for (const payment of old) remove(payment);
      });
      await durable(written, 'the pruned payments');
      return old.length;
    },
  };
}
