import type { Fault } from './wire.ts';

export interface ErrorParts {
  /** Of the HTTP answer; 0 when there was none. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly faults?: readonly Fault[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A call that was refused or got no answer. `code` is the server's and stable, `invalid_request` for a 422, whose
 * `faults` has every fault; or one of ours: `network`, `timeout`, `not_json`, `too_slow`.
 */
export class TallywireError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly faults: readonly Fault[];
  /** How long the server asks to be left alone. */
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
