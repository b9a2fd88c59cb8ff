import { RequestError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** Of several machines the one that would have to be asked is being replaced, or it cannot be reached. */
export function engineUnavailable(): RequestError {
  return new RequestError(503, 'engine_unavailable', 'The engine did not answer in time; try again', {
    'Retry-After': String(RETRY_AFTER_SECONDS),
  });
}
