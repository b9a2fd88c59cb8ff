import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';

/** Values that foreign payloads share. Each schema refuses what it cannot represent exactly. */

// Lone surrogates do not survive UTF-8, so a log that kept them would not replay to the same text.
const LONE_SURROGATE = /\p{Surrogate}/gu;
export const wireText = z.string().transform((text) => text.replace(LONE_SURROGATE, '\uFFFD'));

/**
 * Ids of posts and users: text, since most are past 2^53 and a JSON number would have lost digits. One that is out of
 * range is refused where its post is judged, so that it costs no other post.
 */
export const digits = z.string().regex(/^\d{1,40}$/);
/** Up to 78 digits. */
export const tokenId = z.string().regex(/^\d{1,80}$/);
export const slug = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,299}$/);
export const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

const EARLIEST_AT = Date.UTC(2000, 0);
const LATEST_AT = Date.UTC(2100, 0);

/** An ISO 8601 instant, as UTC ms. An offset is required; dates that do not exist are refused. */
export const anyInstant = z.string().transform((text, ctx) => {
  const at = epochMs(text);
  if (at !== undefined) return at;
  ctx.addIssue({ code: 'custom', message: 'not an ISO instant' });
  return z.NEVER;
});

export const instant = anyInstant.refine(
  (at) => at >= EARLIEST_AT && at < LATEST_AT,
  'not an ISO instant between 2000 and 2100',
);

/** How nearly all of them are written. */
const USUAL_INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{3}))?Z$/;

function epochMs(text: string): number | undefined {
  return usualEpochMs(text) ?? anyEpochMs(text);
}

/** Undefined for what is written in another way, and for times that do not exist, which `Date` would move to others. */
function usualEpochMs(text: string): number | undefined {
  const [, seconds, ms = '000'] = USUAL_INSTANT.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === `${seconds}.${ms}Z` ? at : undefined;
}

function anyEpochMs(text: string): number | undefined {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A probability-like price. JSON overflow (`1e400`) arrives as Infinity and is refused. */
export const price = z.number().min(0).max(1);

const DECIMAL = /^\d{1,30}(\.\d{1,60})?([eE][+-]?\d{1,3})?$/;
const decimal = z.string().regex(DECIMAL).transform(Number);
export const priceText = decimal.pipe(price);
/** A size or a spot price: finite and not negative. */
export const amountText = decimal.pipe(z.number().nonnegative());

/** The schema's value, or null where the field is absent, null or `""`, which is how these APIs write no value. */
export function orNothing<T>(schema: z.ZodType<T>) {
  return z.preprocess((value) => (value === '' || value === undefined ? null : value), schema.nullable());
}

/** A list that comes as JSON text inside a string, as a real array, or as nothing. */
export function listInText<T>(element: z.ZodType<T>) {
  const unwrapped = z.unknown().transform((value, ctx): unknown => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch (error) {
      ctx.addIssue({
        code: 'custom',
        message: `not JSON text: ${error instanceof Error ? error.message : ''}`,
      });
      return z.NEVER;
    }
  });
  return orNothing(unwrapped.pipe(z.array(element)));
}
