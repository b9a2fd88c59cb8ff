import type { PaymentAsset, PaymentsConfig } from '../config/payments.ts';
import { API_PREFIX } from '../contract/api-prefix.ts';
import type { Clock } from '../engine/clock.ts';
import type { Metrics } from '../observability/metrics.ts';
import { openPaymentService, type PaymentReport, type PaymentService } from '../payments/payment-service.ts';
import type { PaymentTerms } from '../payments/terms.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from './logger.ts';

/** A test network, and a token and a receiver that belong to nobody: no money moves. */
const DEMO: Omit<PaymentAsset, 'facilitator' | 'node'> = {
  network: 'eip155:84532',
  asset: '0xde00de00de00de00de00de00de00de00de00de00',
  assetName: 'Demo Dollar',
  assetVersion: '1',
  payTo: '0xda00da00da00da00da00da00da00da00da00da00',
};

interface PaymentDeps {
  readonly config: { readonly payments: PaymentsConfig };
  /** The facilitator and the chain of a stand-in world; neither in the live one. */
  readonly standIn: { readonly facilitator?: string; readonly chain?: string };
  readonly store: Pick<Store, 'payments'>;
  readonly clock: Clock;
  readonly agreedNow: () => number | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface OpenPayments {
  readonly service: PaymentService;
  readonly terms: PaymentTerms;
}

/** Opens the payment service, which the caller closes, unless payments are off. */
export async function openPayments(deps: PaymentDeps): Promise<OpenPayments | undefined> {
  const { standIn, store, clock, metrics, log } = deps;
  const config = deps.config.payments;
  if (config.type === 'off') return undefined;
  const asset =
    config.type === 'on' ? config : { ...DEMO, facilitator: standIn.facilitator, node: standIn.chain };
  if (asset.facilitator === undefined) throw new TypeError('a live world has no facilitator for a demo');
  const terms = termsOf(config, asset);
  const service = await openPaymentService({
    terms,
    facilitator: { url: asset.facilitator },
    node: asset.node === undefined ? undefined : { url: asset.node },
    payments: store.payments,
    now: clock.wall,
    agreedNow: deps.agreedNow,
    mono: clock.mono,
    report: reportPayments(log, metrics),
  });
  const { network, payTo } = asset;
  // The address of a node may hold a secret.
  const hasNode = asset.node !== undefined;
  log.info({ network, payTo, facilitator: asset.facilitator, hasNode }, 'calls can be paid for');
  return { service, terms };
}

function termsOf(
  { price, prices }: Exclude<PaymentsConfig, { type: 'off' }>,
  { network, asset, assetName, assetVersion, payTo }: Omit<PaymentAsset, 'facilitator' | 'node'>,
): PaymentTerms {
  return {
    network: `eip155:${network.replace(/^eip155:/, '')}`,
    asset,
    assetName,
    assetVersion,
    payTo,
    price,
    prices: prices.map((each) => ({ prefix: `${API_PREFIX}/${each.path}`, price: each.price })),
  };
}

function reportPayments(log: Logger, metrics: Metrics): (report: PaymentReport) => void {
  return (report) => {
    switch (report.type) {
      case 'outcome':
        metrics.paid(report.outcome);
        return;
      case 'facilitator':
        log.warn({ call: report.call, reason: report.reason }, 'the facilitator gave no clear answer');
        return;
      case 'node':
        log.warn({ reason: report.reason }, 'the node of the chain did not tell what became of a payment');
        return;
      case 'unresolved':
        metrics.unresolvedPayments(report.ids.length);
        if (report.ids.length > 0) {
          log.error(
            { payments: report.ids },
            'whether these payments were settled could not be found out; look up their nonces on the chain',
          );
        }
        return;
      case 'unsent':
        metrics.unsentReplies(report.ids.length);
        if (report.ids.length > 0)
          log.warn({ payments: report.ids }, 'payments were settled, but their replies were never sent');
        return;
      case 'trouble':
        log.error({ err: report.error }, 'a payment could not be stored');
    }
  };
}
