import { z } from 'zod';
import type { FacilitatorRequest } from './facilitator-request.ts';

type Verdict =
  | { readonly type: 'valid' }
  | { readonly type: 'invalid'; readonly reason: string }
  /** There was no clear answer, and no money moved. */
  | { readonly type: 'unavailable'; readonly reason: string };

export type Settlement =
  | { readonly type: 'settled'; readonly transaction: string }
  /** The chain took the nonce before. */
  | { readonly type: 'used'; readonly reason: string }
  /** The money did not move and will not. */
  | { readonly type: 'failed'; readonly reason: string }
  /** The money may have moved or may still move. */
  | { readonly type: 'unknown'; readonly reason: string };

export interface Facilitator {
  verify(request: FacilitatorRequest): Promise<Verdict>;
  settle(request: FacilitatorRequest): Promise<Settlement>;
}

export interface FacilitatorOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly verifyTimeoutMs?: number;
  /** A chain takes up to half a minute to confirm. */
  readonly settleTimeoutMs?: number;
  /** Ends every call under way. */
  readonly signal?: AbortSignal;
}

const VERIFY_TIMEOUT_MS = 5_000;
const SETTLE_TIMEOUT_MS = 45_000;
const MAX_REPLY_BYTES = 64 * 1_024;

const verdictSchema = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });
const settlementSchema = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  transaction: z.string().nullish(),
});

/** Reasons that leave open whether the money was sent before something went wrong. */
const UNCLEAR: ReadonlySet<string> = new Set(['settlement_pending', 'unexpected_settle_error', '']);
const USED: ReadonlySet<string> = new Set([
  'invalid_exact_evm_nonce_already_used',
  'duplicate_settlement',
  'nonce_already_used',
]);
/** The transaction was sent and undone: the one failure with a hash that is final. */
const REVERTED = 'invalid_transaction_state';

type Reply = { readonly status: number; readonly body: unknown } | { readonly failure: string };

/**
 * Asks one host and follows no redirect. Whatever is not a clear answer is `unavailable` or `unknown`; neither call
 * ever rejects.
 */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, verifyTimeoutMs = VERIFY_TIMEOUT_MS, settleTimeoutMs = SETTLE_TIMEOUT_MS, signal } = options;

  async function ask(path: string, request: FacilitatorRequest, timeoutMs: number): Promise<Reply> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${url}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(request),
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      return { status: response.status, body: JSON.parse(await textOf(response)) };
    } catch (error) {
      if (timeout.aborted) return { failure: `no answer in ${timeoutMs} ms` };
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    async verify(request) {
      const reply = await ask('verify', request, verifyTimeoutMs);
      if ('failure' in reply) return { type: 'unavailable', reason: reply.failure };
      const parsed = verdictSchema.safeParse(reply.body);
      if (reply.status >= 500 || !parsed.success) {
        return { type: 'unavailable', reason: `status ${reply.status} without a verdict` };
      }
      if (parsed.data.isValid && reply.status < 300) return { type: 'valid' };
      return { type: 'invalid', reason: parsed.data.invalidReason ?? 'invalid_payment' };
    },

    async settle(request) {
      const reply = await ask('settle', request, settleTimeoutMs);
      if ('failure' in reply) return { type: 'unknown', reason: reply.failure };
      const parsed = settlementSchema.safeParse(reply.body);
      if (reply.status >= 500 || !parsed.success) {
        return { type: 'unknown', reason: `status ${reply.status} without an outcome` };
      }
      return settlementOf(parsed.data);
    },
  };
}

function settlementOf({ success, errorReason, transaction }: z.infer<typeof settlementSchema>): Settlement {
  const hasHash = /^0x[0-9a-fA-F]{64}$/.test(transaction ?? '');
  if (success) {
    return hasHash
      ? { type: 'settled', transaction: transaction ?? '' }
      : { type: 'unknown', reason: 'success without the hash of a transaction' };
  }
  const reason = errorReason ?? '';
  if (USED.has(reason)) return { type: 'used', reason };
  const isOver = !UNCLEAR.has(reason) && (!hasHash || reason === REVERTED);
  return { type: isOver ? 'failed' : 'unknown', reason };
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_REPLY_BYTES) throw new RangeError(`more than ${MAX_REPLY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
