import { RequestError } from '../errors.ts';

/** A start takes seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The refusal of what is not known yet. */
export function starting(reason: string): RequestError {
  const message = `The service starts: ${reason}`;
  return new RequestError(503, 'starting', message, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
