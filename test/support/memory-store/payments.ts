import { marksOf } from '../../../src/store/lmdb/payments.ts';
import type { KeptPayment, Payments } from '../../../src/store/store.ts';

interface Marked {
  readonly at: number;
  readonly payment: KeptPayment;
}

export function createMemoryPayments(): Payments {
  const payments = new Map<string, KeptPayment>();
  /** By mark and id: of many payments few are open, and those are asked for again and again. */
  const marks = new Map<string, Map<string, Marked>>();

  function remove(id: string): void {
    const payment = payments.get(id);
    if (payment === undefined) return;
    payments.delete(id);
    for (const [mark] of marksOf(payment)) marks.get(mark)?.delete(id);
  }

  function put(payment: KeptPayment): void {
    remove(payment.id);
    payments.set(payment.id, payment);
    for (const [mark, at, id] of marksOf(payment)) {
      const marked = marks.get(mark) ?? new Map<string, Marked>();
      marks.set(mark, marked.set(id, { at, payment }));
    }
  }

  const byMark = (wanted: string, upToAt: number, limit: number) =>
    [...(marks.get(wanted)?.values() ?? [])]
      .filter(({ at }) => at <= upToAt)
      .sort((a, b) => a.at - b.at || (a.payment.id < b.payment.id ? -1 : 1))
      .slice(0, limit)
      .map(({ payment }) => payment);

  return {
    find: (id) => payments.get(id),
    async reserve(payment) {
      if (payments.has(payment.id)) return false;
      put(payment);
      return true;
    },
    async put(payment) {
      put(payment);
    },
    async release(id) {
      remove(id);
    },
    marked: byMark,
    async prune(beforeAt, maxRows) {
      const old = byMark('until', beforeAt - 1, maxRows);
      for (const { id } of old) remove(id);
      return old.length;
    },
  };
}
