import { createHash } from 'node:crypto';
import { type Answer, type AsyncHandler, jsonBody, ok } from './answer.ts';
import { isSigned, type Order, orderSchema, requiredOf } from './facilitator-order.ts';

export const VERIFY_BEHAVIOURS = ['honest', 'invalid'] as const;
/**
 * `refuse` moves no money and reports that; `pending` moves it and reports it as open; `no-hash` moves it and
 * leaves out the transaction.
 */
export const SETTLE_BEHAVIOURS = ['honest', 'refuse', 'pending', 'no-hash'] as const;

interface FacilitatorBehaviour {
  readonly verify?: (typeof VERIFY_BEHAVIOURS)[number] | undefined;
  readonly settle?: (typeof SETTLE_BEHAVIOURS)[number] | undefined;
  readonly times: number | null;
}

/** Verifies signatures for real, and settles on a ledger in memory instead of a chain. */
export interface Facilitator {
  readonly handle: AsyncHandler;
  steer(behaviour: FacilitatorBehaviour): void;
  state(): {
    readonly verifyCalls: number;
    readonly settleCalls: number;
    /** By nonce; each is there once. */
    readonly settled: Readonly<Record<string, string>>;
  };
}

/** A chain needs some seconds, so what ends sooner is refused. */
const LEAST_LEFT_SECONDS = 6;
const USED = 'invalid_exact_evm_nonce_already_used';
const NETWORKS = ['eip155:84532', 'base-sepolia'] as const;

/** `now` in UTC ms. */
export function createFacilitator(now: () => number): Facilitator {
  const ledger = new Map<string, string>();
  let behaviour: FacilitatorBehaviour = { times: null };
  let left = 0;
  let verifyCalls = 0;
  let settleCalls = 0;

  function behaviourFor<K extends 'verify' | 'settle'>(
    call: K,
  ): NonNullable<FacilitatorBehaviour[K]> | 'honest' {
    const chosen = behaviour[call];
    if (chosen === undefined || left <= 0) return 'honest';
    left -= 1;
    return chosen;
  }

  const nonceKey = ({ paymentPayload }: Order): string => {
    const { from, nonce } = paymentPayload.payload.authorization;
    return `${from}|${nonce}`.toLowerCase();
  };

  /** The first fault, in the order and with the codes facilitators use. */
  async function faultOf(order: Order): Promise<string | undefined> {
    const { authorization } = order.paymentPayload.payload;
    const required = requiredOf(order);
    if (required === undefined) return 'invalid_exact_evm_network_mismatch';
    if (!(await isSigned(order, required))) return 'invalid_exact_evm_signature';
    if (authorization.to.toLowerCase() !== required.payTo.toLowerCase()) {
      return 'invalid_exact_evm_recipient_mismatch';
    }
    const nowSeconds = now() / 1_000;
    if (Number(authorization.validBefore) < nowSeconds + LEAST_LEFT_SECONDS) {
      return 'invalid_exact_evm_payload_authorization_valid_before';
    }
    if (Number(authorization.validAfter) > nowSeconds) {
      return 'invalid_exact_evm_payload_authorization_valid_after';
    }
    const paid = BigInt(authorization.value);
    const isPaid = order.x402Version === 1 ? paid >= required.amount : paid === required.amount;
    if (!isPaid) return 'invalid_exact_evm_payload_authorization_value_mismatch';
    return ledger.has(nonceKey(order)) ? USED : undefined;
  }

  async function verify(order: Order): Promise<Answer> {
    verifyCalls += 1;
    const payer = order.paymentPayload.payload.authorization.from;
    const fault = behaviourFor('verify') === 'invalid' ? 'insufficient_funds' : await faultOf(order);
    return ok(
      fault === undefined ? { isValid: true, payer } : { isValid: false, invalidReason: fault, payer },
    );
  }

  async function settle(order: Order): Promise<Answer> {
    settleCalls += 1;
    const { network } = order.paymentRequirements;
    const payer = order.paymentPayload.payload.authorization.from;
    const refusal = (errorReason: string) =>
      ok({ success: false, errorReason, transaction: '', network, payer });
    const chosen = behaviourFor('settle');
    if (chosen === 'refuse') return refusal('insufficient_funds');
    const fault = await faultOf(order);
    if (fault !== undefined) return refusal(fault);
    const key = nonceKey(order);
    // Another may have come in while the signature was looked at.
    if (ledger.has(key)) return refusal(USED);
    const transaction = `0x${createHash('sha256').update(key).digest('hex')}`;
    ledger.set(key, transaction);
    if (chosen === 'pending') return refusal('settlement_pending');
    return ok({ success: true, transaction: chosen === 'no-hash' ? '' : transaction, network, payer });
  }

  return {
    async handle(request) {
      const [call] = request.path;
      if (request.method === 'GET' && call === 'supported') {
        const kinds = NETWORKS.map((network, index) => ({
          x402Version: 2 - index,
          scheme: 'exact',
          network,
        }));
        return ok({ kinds, extensions: [], signers: {} });
      }
      if (request.method !== 'POST' || (call !== 'verify' && call !== 'settle')) {
        return { status: 404, body: { error: 'not found' } };
      }
      const order = orderSchema.safeParse(jsonBody(request));
      if (!order.success) return { status: 400, body: { error: 'invalid_payload' } };
      return call === 'verify' ? verify(order.data) : settle(order.data);
    },
    steer(next) {
      behaviour = next;
      left = next.times ?? Number.POSITIVE_INFINITY;
    },
    state: () => ({ verifyCalls, settleCalls, settled: Object.fromEntries(ledger) }),
  };
}
