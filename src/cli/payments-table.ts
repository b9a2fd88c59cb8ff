import type { ListedPayment } from '../payments/listed-payment.ts';
import { spanText } from '../service/span-text.ts';
import { textTable } from './table.ts';

const HEADINGS = ['STATE', 'PAYER', 'AMOUNT', 'RESOURCE', 'AGE', 'LAST ANSWER', 'NONCE'];
const DECIMALS = 6;

/** One line per payment under its headings; `-` stands for nothing. */
export function paymentsTable(payments: readonly ListedPayment[], nowMs: number): string {
  if (payments.length === 0) return 'There are no open payments.\n';
  return textTable([HEADINGS, ...payments.map((payment) => cellsOf(payment, nowMs))]);
}

function cellsOf(payment: ListedPayment, nowMs: number): readonly string[] {
  const { state, isUnresolved, payer, amount, resource, takenAt, lastAnswer, nonce } = payment;
  return [
    isUnresolved ? `${state}, unresolved` : state,
    payer,
    amountText(amount),
    resource,
    takenAt === null ? '-' : spanText(Math.max(0, nowMs - takenAt)),
    lastAnswer ?? '-',
    nonce,
  ];
}

/** Whole tokens and their decimals, without zeros at the end. */
function amountText(millionths: string): string {
  const digits = millionths.padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '');
}
