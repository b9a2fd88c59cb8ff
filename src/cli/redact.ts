/** Names of fields and headers whose values never reach a log, in lower case. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'api_key',
  'apikey',
  'authorization',
  'bearertoken',
  'cookie',
  'email',
  'payment-signature',
  'poststoken',
  'postsbearertoken',
  'set-cookie',
  'token',
  'x-api-key',
  'x-payment',
  'x402',
]);

const REDACTED = '[redacted]';
const WALLET = /\b(0x[0-9a-f]{4})[0-9a-f]{32}([0-9a-f]{4})\b/gi;
const KEY = /\btw_(free|pro|internal)_[0-9A-Za-z]+/gi;
const EMAIL = /[^\s@"'<>]{1,64}@[^\s@"'<>]{1,200}\.[a-z]{2,24}/gi;

/** Deep enough for our records, and it ends circular ones. */
const MAX_DEPTH = 6;

/** Shortens wallets and removes keys and e-mail addresses. */
export function redactText(text: string): string {
  return text.replace(WALLET, '$1…$2').replace(KEY, REDACTED).replace(EMAIL, REDACTED);
}

function redactError(error: Error, depth: number): unknown {
  const { name, message, stack, cause, ...rest } = error;
  return {
    type: error.constructor.name,
    message: redactText(message),
    ...(stack !== undefined && { stack: redactText(stack) }),
    ...(cause !== undefined && { cause: redactValue(cause, depth + 1) }),
    ...redactRecord(rest, depth),
  };
}

function redactRecord(record: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : redactValue(value, depth + 1),
    ]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof Date) return value;
  return redactRecord(value, depth);
}

/** A copy of a log record that may be shown to anyone. */
export function redact(record: object): Record<string, unknown> {
  return redactRecord(record, 0);
}
