import { RequestError } from '../errors.ts';

/** The list of events is read within seconds of a start, and again each half minute. */
const RETRY_AFTER_SECONDS = 2;

/** The refusal while the list of open events was never read, or too long ago to say that there are none. */
export function eventsUnknown(): RequestError {
  const message = 'The events of the market are not known yet, so it cannot be said which are active';
  return new RequestError(503, 'events_unknown', message, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
