import * as z from 'zod';
import { SourceError } from '../errors.ts';
import { getJson, type JsonRequest } from './http.ts';
import type { AnswerHeaders } from './http-exchange.ts';
import type { Pace } from './pace.ts';
import type { SourceContext } from './source.ts';

type Refusals = Pick<SourceContext, 'refused'>;
type Listener = Refusals & Partial<Pick<SourceContext, 'onHeaders' | 'fetch'>>;

/** A request that waits for its turn, if its host is asked in turns. Its time limit begins with its turn. */
interface PayloadRequest extends JsonRequest {
  readonly pace?: Pace | undefined;
  /** Whether the answer serves every account. */
  readonly isShared?: boolean | undefined;
}

/** The payload's value, or why it is refused: where its first fault is and what was expected there. */
export function decodePayload<T>(
  schema: z.ZodType<T>,
  payload: unknown,
): { readonly value: T } | { readonly reason: string } {
  const result = schema.safeParse(payload);
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  return { reason: `${issue?.path.join('.') || 'payload'}: ${issue?.message ?? 'not as promised'}` };
}

interface Decoded<T> {
  readonly values: readonly T[];
  /** Each reason why elements are refused, once. */
  readonly reasons: readonly string[];
}

/** Decodes each element of a list by itself. */
export function decodeEach<T>(schema: z.ZodType<T>, elements: readonly unknown[]): Decoded<T> {
  const values: T[] = [];
  const reasons = new Set<string>();
  for (const element of elements) {
    const decoded = decodePayload(schema, element);
    if ('value' in decoded) values.push(decoded.value);
    else reasons.add(decoded.reason);
  }
  return { values, reasons: [...reasons] };
}

/**
 * The same, but a list of which nothing can be read is refused: its form has changed, and an empty one would say that
 * there is nothing. The refusal begins with `what`.
 */
export function decodeSome<T>(
  schema: z.ZodType<T>,
  elements: readonly unknown[],
  what: string,
  context: Refusals,
): Decoded<T> {
  const decoded = decodeEach(schema, elements);
  const [reason] = decoded.reasons;
  if (decoded.values.length === 0 && reason !== undefined) refuse(`${what} ${reason}`, context);
  return decoded;
}

/**
 * Asks for a document and accepts it whole or not at all. A document that does not match the schema, is not
 * JSON or is too large is counted once as refused, and the promise rejects.
 */
export async function readPayload<T>(
  url: string,
  schema: z.ZodType<T>,
  request: PayloadRequest,
  context: Listener,
): Promise<T> {
  const onHeaders = (headers: AnswerHeaders) => {
    request.onHeaders?.(headers);
    context.onHeaders?.(url, headers);
  };
  const ask = () => getJson(url, { ...request, onHeaders, fetch: context.fetch });
  const payload = await (request.pace?.run(ask, request) ?? ask()).catch((error: unknown) => {
    if (isRefusal(error)) context.refused(error.message);
    throw error;
  });
  const decoded = decodePayload(schema, payload);
  if ('value' in decoded) return decoded.value;
  return refuse(`${new URL(url).pathname} sent ${decoded.reason}`, context);
}

/**
 * Asks for a list and decodes each element by itself. What cannot be read is counted as refused; if that is all of
 * it, the promise rejects.
 */
export async function readList<T>(
  url: string,
  schema: z.ZodType<T>,
  request: PayloadRequest,
  context: Listener,
): Promise<readonly T[]> {
  const elements = await readPayload(url, z.array(z.unknown()), request, context);
  const what = `${new URL(url).pathname} sent`;
  const { values, reasons } = decodeSome(schema, elements, what, context);
  for (const reason of reasons) context.refused(`${what} ${reason}`);
  return values;
}

/** Counts a payload as refused and throws. */
export function refuse(reason: string, context: Refusals): never {
  context.refused(reason);
  throw new SourceError('SOURCE_REFUSED', reason);
}

/** Whether an answer came but was refused: the host may well answer the next request. */
export function isRefusal(error: unknown): error is SourceError {
  return (
    error instanceof SourceError &&
    ['SOURCE_REFUSED', 'SOURCE_NOT_JSON', 'SOURCE_TOO_LARGE'].includes(error.code)
  );
}

/** Whether the host has no such document. */
export function isNotFound(error: unknown): error is SourceError {
  return error instanceof SourceError && (error.status === 404 || error.status === 410);
}

/**
 * Reads one item after the other. A refused answer does not stop the rest and is thrown at the end; any other
 * failure concerns the host and is thrown at once, so that no call follows a 429.
 */
export async function readEach<T>(items: Iterable<T>, read: (item: T) => Promise<void>): Promise<void> {
  let refusal: SourceError | undefined;
  for (const item of items) {
    await read(item).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    });
  }
  if (refusal !== undefined) throw refusal;
}
