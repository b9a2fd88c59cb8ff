import { marksOf } from '../../../src/store/lmdb/payments.ts';
import type { KeptPayment, Payments } from '../../../src/store/store.ts';

export function createMemoryPayments(): Payments {
  const payments = new Map<string, KeptPayment>();
  const byMark = (wanted: string, upToAt: number, limit: number) =>
    [...payments.values()]
      .flatMap((payment) => marksOf(payment).map(([mark, at]) => ({ mark, at, payment })))
      .filter(({ mark, at }) => mark === wanted && at <= upToAt)
      .sort((a, b) => a.at - b.at || (a.payment.id < b.payment.id ? -1 : 1))
      .slice(0, limit)
      .map(({ payment }) => payment);
  return {
    find: (id) => payments.get(id),
    async reserve(payment) {
      if (payments.has(payment.id)) return false;
      payments.set(payment.id, payment);
      return true;
    },
    async put(payment) {
      payments.set(payment.id, payment);
    },
    async release(id) {
      payments.delete(id);
    },
    marked: byMark,
    async prune(beforeAt, maxRows) {
      const old = byMark('until', beforeAt - 1, maxRows);
      for (const { id } of old) payments.delete(id);
      return old.length;
    },
  };
}
