import * as z from 'zod';
import { askJson, type JsonAnswer } from './ask-json.ts';
import type { FacilitatorRequest } from './facilitator-request.ts';

type Verdict =
  | { readonly type: 'valid' }
  | { readonly type: 'invalid'; readonly reason: string }
  /** It has too much to do, and said when it may be asked again. */
  | { readonly type: 'busy'; readonly waitMs: number }
  /** There was no clear answer, and no money moved. */
  | { readonly type: 'unavailable'; readonly reason: string };

export type Settlement =
  | { readonly type: 'settled'; readonly transaction: string }
  /** The chain knows the nonce already: a transfer took it, or its owner cancelled it. */
  | { readonly type: 'used'; readonly reason: string }
  /** This try was refused before anything was sent to the chain; it says nothing about an earlier one. */
  | { readonly type: 'refused'; readonly reason: string }
  /** It has too much to do, and said when it may be asked again. */
  | { readonly type: 'busy'; readonly waitMs: number }
  /** The facilitator answered, but the money may have moved or may still move. */
  | { readonly type: 'open'; readonly reason: string }
  /** There was no clear answer: the money may have moved or may still move. */
  | { readonly type: 'unavailable'; readonly reason: string };

export interface Facilitator {
  verify(request: FacilitatorRequest): Promise<Verdict>;
  settle(request: FacilitatorRequest): Promise<Settlement>;
  /** Whether it answers a question that is not about any payment. */
  isAnswering(): Promise<boolean>;
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
/** The wait after a 429 that names none, and the longest that we wait. */
const BUSY_MS = 60_000;
const LONGEST_BUSY_MS = 600_000;

const verdictSchema = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });
const settlementSchema = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  transaction: z.string().nullish(),
});

const USED: ReadonlySet<string> = new Set(['invalid_exact_evm_nonce_already_used', 'nonce_already_used']);
/**
 * Reasons found by checks before anything is sent to the chain. A reason that is not known to be one of them leaves
 * open whether the transfer was sent.
 */
const CHECKED_FIRST = /^(invalid|unsupported)_|^(insufficient_funds|payment_expired)$/;
/**
 * These begin alike, but are given once a transaction may be on its way. The reference facilitator says
 * `invalid_transaction_state` also of one that it could not follow any further.
 */
const SENT_BEFORE = /transaction_(failed|state)|transfer_event_mismatch/;

/** Whatever is not a clear answer is `unavailable`; no call ever rejects. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, verifyTimeoutMs = VERIFY_TIMEOUT_MS, settleTimeoutMs = SETTLE_TIMEOUT_MS, signal } = options;
  const ask = (path: string, timeoutMs: number, body?: FacilitatorRequest) =>
    askJson({ url: `${url}/${path}`, body, timeoutMs, maxBytes: MAX_REPLY_BYTES, signal });

  return {
    async verify(request) {
      const answer = await ask('verify', verifyTimeoutMs, request);
      if (isBusy(answer)) return { type: 'busy', waitMs: waitOf(answer) };
      const verdict = readAs(verdictSchema, answer);
      if ('reason' in verdict) return { type: 'unavailable', reason: verdict.reason };
      if (!verdict.isValid) return { type: 'invalid', reason: verdict.invalidReason ?? 'invalid_payment' };
      return verdict.isOk ? { type: 'valid' } : { type: 'invalid', reason: 'invalid_payment' };
    },

    async settle(request) {
      const answer = await ask('settle', settleTimeoutMs, request);
      if (isBusy(answer)) return { type: 'busy', waitMs: waitOf(answer) };
      const settlement = readAs(settlementSchema, answer);
      return 'reason' in settlement
        ? { type: 'unavailable', reason: settlement.reason }
        : settlementOf(settlement);
    },

    async isAnswering() {
      const answer = await ask('supported', verifyTimeoutMs);
      return 'status' in answer && answer.status < 500;
    },
  };
}

type Answered = Exclude<JsonAnswer, { failure: string }>;

function isBusy(answer: JsonAnswer): answer is Answered {
  return 'status' in answer && answer.status === 429;
}

function waitOf({ retryAfterMs = BUSY_MS }: Answered): number {
  return Math.min(LONGEST_BUSY_MS, Math.max(1_000, retryAfterMs));
}

/** Statuses with which a facilitator says no to a payment; others speak of the facilitator itself, or of a proxy. */
const REFUSING: ReadonlySet<number> = new Set([400, 402, 412, 422]);

function readAs<T extends object>(
  schema: z.ZodType<T>,
  answer: JsonAnswer,
): (T & { readonly isOk: boolean }) | { readonly reason: string } {
  if ('failure' in answer) return { reason: answer.failure };
  const isOk = answer.status >= 200 && answer.status < 300;
  const parsed = schema.safeParse(answer.body);
  if (!parsed.success || !(isOk || REFUSING.has(answer.status))) {
    return { reason: `status ${answer.status} without a clear answer` };
  }
  return { ...parsed.data, isOk };
}

function settlementOf({ success, errorReason, transaction }: z.infer<typeof settlementSchema>): Settlement {
  const hasHash = /^0x[0-9a-fA-F]{64}$/.test(transaction ?? '');
  if (success) {
    return hasHash
      ? { type: 'settled', transaction: transaction ?? '' }
      : { type: 'open', reason: 'success without the hash of a transaction' };
  }
  const reason = errorReason ?? '';
  if (USED.has(reason)) return { type: 'used', reason };
  const isRefused = !hasHash && CHECKED_FIRST.test(reason) && !SENT_BEFORE.test(reason);
  return { type: isRefused ? 'refused' : 'open', reason };
}
