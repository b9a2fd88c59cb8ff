import { TallywireError } from './error.ts';
import type { Fault } from './wire.ts';

/** The error that an answer of status 400 or more stands for. */
export function refusalOf(status: number, headers: Headers, text: string): TallywireError {
  const body = parsed(text);
  const retryAfterMs = retryAfter(headers);
  if (Array.isArray(body.detail)) {
    const faults = body.detail.filter(isFault);
    const detail = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return new TallywireError({ status, code: 'invalid_request', detail, faults, retryAfterMs });
  }
  // A proxy in front answers in words of its own.
  const code = typeof body.code === 'string' ? body.code : `http_${status}`;
  const detail = typeof body.detail === 'string' ? body.detail : text.slice(0, 200);
  return new TallywireError({ status, code, detail, retryAfterMs });
}

function parsed(text: string): { readonly detail?: unknown; readonly code?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function isFault(value: unknown): value is Fault {
  return (
    typeof value === 'object' &&
    value !== null &&
    'loc' in value &&
    Array.isArray(value.loc) &&
    'msg' in value
  );
}

/** Seconds; the form with a date is not sent by this server. */
function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
