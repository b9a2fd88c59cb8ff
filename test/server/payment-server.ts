import { proxiesOf } from '../../src/access/client-address.ts';
import {
  openPaymentService,
  type PaymentReport,
  type PaymentService,
  type PaymentServiceDeps,
} from '../../src/payments/payment-service.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { NOON } from '../support/outputs.ts';
import { SIGNALS, TERMS } from '../support/payment-terms.ts';
import {
  createPayer,
  type FacilitatorStand,
  headerOf,
  openFacilitator,
  type Payer,
  type Payment,
} from '../support/payments.ts';
import { type Running, type Start, start } from './start.ts';

/** A server that takes payments, its facilitator, and a payer. */
export interface PaymentServer {
  readonly running: Running;
  readonly stand: FacilitatorStand;
  readonly payments: PaymentService;
  readonly payer: Payer;
  readonly deps: PaymentServiceDeps;
  readonly clock: { now: number; monoMs: number };
  readonly reports: PaymentReport[];
  /** Sends a payment, or any text in its place. */
  pay(payment: Payment | string, path?: string, name?: string): Promise<Response>;
  sign(options?: Partial<Parameters<Payer['sign']>[0]>): Promise<Payment>;
  /** How often money moved. */
  settled(): number;
  close(): Promise<void>;
}

export async function openPaymentServer(
  over: Partial<PaymentServiceDeps> = {},
  options: Start = {},
): Promise<PaymentServer> {
  const clock = { now: NOON, monoMs: 0 };
  const stand = await openFacilitator(() => clock.now);
  const reports: PaymentReport[] = [];
  const deps: PaymentServiceDeps = {
    terms: TERMS,
    facilitator: { url: stand.url, verifyTimeoutMs: 5_000, settleTimeoutMs: 5_000 },
    payments: createMemoryStore().payments,
    now: () => clock.now,
    agreedNow: () => clock.now,
    mono: () => clock.monoMs,
    report: (report) => void reports.push(report),
    everyMs: 10,
    ...over,
  };
  const payments = await openPaymentService(deps);
  const paidAccess = { payments, proxies: proxiesOf([]) };
  const running = await start({ ...options, deps: { ...options.deps, paidAccess } });
  const payer = createPayer();
  return {
    running,
    stand,
    payments,
    payer,
    deps,
    clock,
    reports,
    pay: (payment, path = SIGNALS, name = 'x402') =>
      running.get(path, { [name]: typeof payment === 'string' ? payment : headerOf(payment) }),
    sign: (given = {}) => payer.sign({ nowMs: clock.now, ...given }),
    settled: () => Object.keys(stand.facilitator.state().settled).length,
    async close() {
      await running.stop();
      await payments.close();
      await stand.close();
    },
  };
}
