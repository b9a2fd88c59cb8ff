import type { KeptPayment, PaymentMark, Payments } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

type Mark = [mark: PaymentMark | 'until', at: number, id: string];

/** A payment has at most this many marks. */
const MOST_MARKS = 4;

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

  function write(payment: KeptPayment, text: string): void {
    void payments.put(payment.id, text);
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
      const text = JSON.stringify(payment);
      const begin = () => payments.ifNoExists(payment.id, () => write(payment, text));
      return durable(begin, 'a payment', sizeOf([text], MOST_MARKS));
    },
    async put(payment) {
      const text = JSON.stringify(payment);
      // Looked up when the write begins: another write of the payment may be ahead of it.
      const begin = () => {
        const before = find(payment.id);
        return root.batch(() => {
          if (before !== undefined) remove(before);
          write(payment, text);
        });
      };
      await durable(begin, 'a payment', sizeOf([text], 2 * MOST_MARKS + 1));
    },
    async release(id) {
      const before = find(id);
      if (before === undefined) return;
      const size = { rows: MOST_MARKS + 1, bytes: 0 };
      await durable(() => root.batch(() => remove(before)), 'a payment', size);
    },
    marked,
    async prune(beforeAt, maxRows) {
      const old = marked('until', beforeAt - 1, maxRows);
      if (old.length === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const payment of old) remove(payment);
        });
      const rows = old.length * (MOST_MARKS + 1);
      await durable(removal, 'the pruned payments', { rows, bytes: 0 });
      return old.length;
    },
  };
}
