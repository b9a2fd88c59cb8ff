import type { Fault } from './wire.ts';

interface ErrorParts {
  /** HTTP status of the answer; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly faults?: readonly Fault[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A call that was refused or got no answer. `code` is stable: the server's own, `invalid_request` for a 422 (with
 * every fault in `faults`), `http_<status>` when a proxy answered, or one of the client: `network`, `timeout`,
 * `not_json`, `too_slow`, `url_invalid`.
 */
export class TallywireError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly faults: readonly Fault[];
  /** How long the server asks the caller to wait. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, detail, faults = [], retryAfterMs, cause }: ErrorParts) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'TallywireError';
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.faults = faults;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error in an answer of status 400 or more. */
export function errorFromAnswer(status: number, headers: Headers, text: string): TallywireError {
  const body = parseObject(text);
  const retryAfterMs = retryAfter(headers);
  if (Array.isArray(body.detail)) {
    const faults = body.detail.filter(isFault);
    const detail = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return new TallywireError({ status, code: 'invalid_request', detail, faults, retryAfterMs });
  }
  // A proxy in front of the service answers in its own format.
  const code = typeof body.code === 'string' ? body.code : `http_${status}`;
  const detail = typeof body.detail === 'string' ? body.detail : text.slice(0, 200);
  return new TallywireError({ status, code, detail, retryAfterMs });
}

function parseObject(text: string): { readonly detail?: unknown; readonly code?: unknown } {
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

/** Reads the form in seconds; this server never sends the form with a date. */
function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
