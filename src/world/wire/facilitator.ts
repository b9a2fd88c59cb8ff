import { createHash } from 'node:crypto';
import { type Answer, type Handler, jsonBody, ok } from './answer.ts';
import type { Chain } from './chain.ts';
import { createSignatureCheck, type Order, orderSchema, requiredOf } from './facilitator-order.ts';

export const VERIFY_BEHAVIOURS = ['honest', 'invalid'] as const;
/**
 * `refuse` moves no money and reports that; `busy` neither, and asks to come back; `pending` moves it and reports it as
 * open; `no-hash` moves it and leaves out the transaction; `lose` moves it and answers 502; `cancelled` finds that the
 * payer took the signature back a moment ago.
 */
export const SETTLE_BEHAVIOURS = [
  'honest',
  'refuse',
  'busy',
  'pending',
  'no-hash',
  'lose',
  'cancelled',
] as const;

interface FacilitatorBehaviour {
  readonly verify?: (typeof VERIFY_BEHAVIOURS)[number] | undefined;
  readonly settle?: (typeof SETTLE_BEHAVIOURS)[number] | undefined;
  readonly times: number | null;
  /** The share of payments that this happens to, chosen by their nonces; all unless it is given. */
  readonly share?: number | undefined;
}

/** Verifies signatures for real, and settles on a chain in memory. */
export interface Facilitator {
  readonly handle: Handler;
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
const BUSY_SECONDS = '7';
const NETWORKS = ['eip155:84532', 'base-sepolia'] as const;

/** `now` in UTC ms. */
export function createFacilitator(now: () => number, chain: Chain): Facilitator {
  const isSigned = createSignatureCheck();
  let behaviour: FacilitatorBehaviour = { times: null };
  let left = 0;
  let verifyCalls = 0;
  let settleCalls = 0;

  function behaviourFor<K extends 'verify' | 'settle'>(
    call: K,
    order: Order,
  ): NonNullable<FacilitatorBehaviour[K]> | 'honest' {
    const chosen = behaviour[call];
    if (chosen === undefined || left <= 0 || shareOf(order) >= (behaviour.share ?? 1)) return 'honest';
    left -= 1;
    return chosen;
  }

  /** The first fault, in the order and with the codes facilitators use. */
  function faultOf(order: Order): string | undefined {
    const { authorization } = order.paymentPayload.payload;
    const required = requiredOf(order);
    if (required === undefined) return 'invalid_exact_evm_network_mismatch';
    if (!isSigned(order, required)) return 'invalid_exact_evm_signature';
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
    const balance = chain.balanceOf(authorization.from);
    if (balance !== undefined && balance < paid) return 'insufficient_funds';
    return chain.isUsed(transferOf(order)) ? USED : undefined;
  }

  function verify(order: Order): Answer {
    verifyCalls += 1;
    const payer = order.paymentPayload.payload.authorization.from;
    const fault = behaviourFor('verify', order) === 'invalid' ? 'insufficient_funds' : faultOf(order);
    return ok(
      fault === undefined ? { isValid: true, payer } : { isValid: false, invalidReason: fault, payer },
    );
  }

  function settle(order: Order): Answer {
    settleCalls += 1;
    const { network } = order.paymentRequirements;
    const payer = order.paymentPayload.payload.authorization.from;
    const refusal = (errorReason: string) =>
      ok({ success: false, errorReason, transaction: '', network, payer });
    const chosen = behaviourFor('settle', order);
    const transfer = transferOf(order);
    if (chosen === 'busy') {
      return { status: 429, headers: { 'retry-after': BUSY_SECONDS }, body: { error: 'too many requests' } };
    }
    if (chosen === 'refuse') return refusal('insufficient_funds');
    if (chosen === 'cancelled') chain.cancel(transfer);
    const fault = faultOf(order);
    if (fault !== undefined) return refusal(fault);
    const transaction = chain.transfer(transfer);
    if (transaction === undefined) return refusal(USED);
    if (chosen === 'lose') return { status: 502, body: { error: 'bad gateway' } };
    if (chosen === 'pending') return refusal('settlement_pending');
    return ok({ success: true, transaction: chosen === 'no-hash' ? '' : transaction, network, payer });
  }

  return {
    handle(request) {
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
    state: () => ({ verifyCalls, settleCalls, settled: Object.fromEntries(chain.transfers) }),
  };
}

function transferOf({ paymentPayload, paymentRequirements }: Order) {
  const { from, to, value, nonce } = paymentPayload.payload.authorization;
  return { asset: paymentRequirements.asset, from, to, value: BigInt(value), nonce };
}

/** Between 0 and 1, the same for the same nonce. */
function shareOf({ paymentPayload }: Order): number {
  const digest = createHash('sha256')
    .update(paymentPayload.payload.authorization.nonce.toLowerCase())
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
