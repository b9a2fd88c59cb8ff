/** What one call costs and who is paid. */
export interface PaymentTerms {
  /** Such as `eip155:84532`. */
  readonly network: `eip155:${string}`;
  /** The contract of the token, which has six decimals. */
  readonly asset: string;
  /** Name and version that signatures of the token are made over. */
  readonly assetName: string;
  readonly assetVersion: string;
  readonly payTo: string;
  /** Millionths of the token, by default and for paths below a prefix; the longest prefix wins. */
  readonly price: bigint;
  readonly prices: readonly { readonly prefix: string; readonly price: bigint }[];
}

/** How long a payment may be valid at most. */
export const MAX_TIMEOUT_SECONDS = 300;

export function priceOf({ price, prices }: PaymentTerms, path: string): bigint {
  let best = { prefix: '', price };
  for (const each of prices) {
    const isBelow = path === each.prefix || path.startsWith(`${each.prefix}/`);
    if (isBelow && each.prefix.length >= best.prefix.length) best = each;
  }
  return best.price;
}

/** What has to be paid, in the names of version 2 of the protocol. */
interface Requirements {
  readonly scheme: 'exact';
  readonly network: PaymentTerms['network'];
  /** Millionths of the token, in decimal digits. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

/** What has to be paid for a path, in version 2 of the protocol. */
export function requirementsOf(terms: PaymentTerms, path: string): Requirements {
  const { network, asset, assetName, assetVersion, payTo } = terms;
  return {
    scheme: 'exact',
    network,
    amount: String(priceOf(terms, path)),
    asset,
    payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { name: assetName, version: assetVersion },
  };
}

/** The names that version 1 of the protocol has for networks. */
const V1_NETWORKS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'base'],
  ['eip155:84532', 'base-sepolia'],
  ['eip155:137', 'polygon'],
]);

/** Undefined for a network that version 1 has no name for: there only version 2 is accepted. */
export function v1NetworkOf(network: string): string | undefined {
  return V1_NETWORKS.get(network);
}

/** The same in the names of version 1. */
interface RequirementsV1 extends Omit<Requirements, 'network' | 'amount'> {
  /** By the name that version 1 has for it. */
  readonly network: string;
  readonly maxAmountRequired: string;
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
  readonly outputSchema: Readonly<Record<string, never>>;
}

/** The same in version 1; undefined when it has no name for the network. */
export function requirementsV1Of(
  terms: PaymentTerms,
  path: string,
  resource: string,
): RequirementsV1 | undefined {
  const network = v1NetworkOf(terms.network);
  if (network === undefined) return undefined;
  const { amount, asset, payTo, maxTimeoutSeconds, scheme, extra } = requirementsOf(terms, path);
  return {
    scheme,
    network,
    maxAmountRequired: amount,
    resource,
    description: DESCRIPTION,
    mimeType: 'application/json',
    outputSchema: {},
    payTo,
    maxTimeoutSeconds,
    asset,
    extra,
  };
}

export const DESCRIPTION = 'One answer of tier PRO';
