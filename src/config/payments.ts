import type { Fault } from '../errors.ts';
import { flagOf, type SettingKey, type SettingValue } from './settings.ts';

/** Millionths of the asset. */
interface Prices {
  readonly price: bigint;
  /** By path below `/api/v1`. */
  readonly prices: readonly { readonly path: string; readonly price: bigint }[];
}

export interface PaymentAsset {
  readonly network: string;
  readonly asset: string;
  readonly assetName: string;
  readonly assetVersion: string;
  readonly payTo: string;
  readonly facilitator: string;
  /** A node of the chain; undefined when none was given. */
  readonly node: string | undefined;
}

/** How callers pay for single calls. The demo has its own network, asset and facilitator. */
export type PaymentsConfig =
  | { readonly type: 'off' }
  | ({ readonly type: 'demo' } & Prices)
  | ({ readonly type: 'on' } & Prices & PaymentAsset);

type PaymentKey = 'world' | Extract<SettingKey, `payment${string}`>;
type PaymentValues = { readonly [K in PaymentKey]: SettingValue<K> };

const NEEDED = [
  'paymentNetwork',
  'paymentAsset',
  'paymentAssetName',
  'paymentAssetVersion',
  'paymentPayTo',
  'paymentFacilitator',
] as const;

/** Settings that the chosen payments need and lack. */
export function paymentFaults(values: PaymentValues, faulty: ReadonlySet<SettingKey>): Fault[] {
  const { payments, world } = values;
  if (payments === 'demo' && world === 'live') {
    const msg = 'expected off or on, as the world is live and demo takes made-up money';
    return [{ loc: [flagOf('payments')], msg, type: 'value' }];
  }
  if (payments !== 'on') return [];
  return NEEDED.filter((key) => values[key] === '' && !faulty.has(key)).map((key) => ({
    loc: [flagOf(key)],
    msg: 'expected a value, as payments are on',
    type: 'missing',
  }));
}

export function toPayments(values: PaymentValues): PaymentsConfig {
  if (values.payments === 'off') return { type: 'off' };
  const prices = { price: toMillionths(values.paymentPrice), prices: toPrices(values.paymentPrices) };
  if (values.payments === 'demo') return { type: 'demo', ...prices };
  return {
    type: 'on',
    ...prices,
    network: values.paymentNetwork,
    asset: values.paymentAsset,
    assetName: values.paymentAssetName,
    assetVersion: values.paymentAssetVersion,
    payTo: values.paymentPayTo,
    facilitator: values.paymentFacilitator,
    node: values.paymentNode === '' ? undefined : values.paymentNode,
  };
}

function toPrices(text: string): Prices['prices'] {
  if (text === '') return [];
  return text.split(',').map((each) => {
    const [path = '', price = ''] = each.split('=');
    return { path, price: toMillionths(price) };
  });
}

/** Works on digits, as 0.07 times a million is not whole in floating point. */
function toMillionths(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(6, '0'));
}
