import { InvalidRequest } from '../contract/validation/validate.ts';
import { RequestError, StoreError } from '../errors.ts';
import type { Offer } from '../payments/offer.ts';
import { type Answer, plainAnswer } from './answer.ts';
import { API_HEADERS, JSON_TYPE } from './headers.ts';

/**
 * The answer to a refused request, with the offer to pay if there is one; undefined when the error is a bug.
 */
export function refusal(error: unknown, offer?: Offer): Answer | undefined {
  if (error instanceof InvalidRequest) return errorAnswer(error.status, { detail: error.faults });
  if (error instanceof StoreError && error.code === 'STORE_CORRUPT') return damagedStore();
  if (!(error instanceof RequestError)) return undefined;
  const { status, message, code, headers, fields } = error;
  return errorAnswer(
    status,
    { detail: message, code, ...fields, ...offer?.fields },
    { ...headers, ...offer?.headers },
  );
}

/** A sentence about the error that contains nothing a caller sent. */
export function sentenceOf(error: unknown): string {
  return error instanceof RequestError ? error.message : 'Internal Server Error';
}

/** Nothing is served that does not match its checksum. The service ends and repairs it. */
function damagedStore(): Answer {
  const detail = 'What was asked for is damaged in the store and is being repaired';
  return errorAnswer(503, { detail, code: 'store_damaged' }, { 'Retry-After': '5' });
}

export function internalError(): Answer {
  return errorAnswer(500, { detail: 'Internal Server Error', code: 'internal' });
}

function errorAnswer(
  status: number,
  content: object,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return plainAnswer(status, JSON_TYPE, JSON.stringify(content), { ...API_HEADERS, ...headers });
}
