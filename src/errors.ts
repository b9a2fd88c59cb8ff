/** One fault of a configuration or a request: its location, a message and its kind (spec 7). */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An expected failure. `code` is stable and listed in the README; the message may change. */
export class ServiceError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** What is known of a failure, of whatever kind it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface SourceErrorOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
}

/** A source failed and is restarted, after `retryAfterMs` at the earliest. `status` is that of an HTTP answer. */
export class SourceError extends ServiceError {
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(code: string, message: string, options?: SourceErrorOptions) {
    super(code, message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.status = options?.status;
  }
}

interface StoreErrorOptions extends ErrorOptions {
  readonly part?: string | undefined;
}

/** The data folder cannot be used. `part` is the part of the store that is damaged, if one is. */
export class StoreError extends ServiceError {
  readonly part: string | undefined;

  constructor(code: string, message: string, options?: StoreErrorOptions) {
    super(code, message, options);
    this.part = options?.part;
  }
}

/** Whether the disk refused a write that may succeed later. Damage is no such refusal. */
export function isRefusedWrite(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'STORE_CORRUPT';
}

/** The service cannot start. */
export class StartError extends ServiceError {}

/** A simulation worker failed and is replaced. */
export class SimulatorError extends ServiceError {}

/** A request that is refused with `status`. Its code is snake_case, as on the wire. */
export class RequestError extends ServiceError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Further fields of the body, named as on the wire. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
    this.fields = fields;
  }
}

/** Every fault of a configuration at once. */
export class ConfigError extends ServiceError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('CONFIG_INVALID', faults.map((fault) => `${fault.loc.join('.')}: ${fault.msg}`).join('\n'));
    this.faults = faults;
  }
}
