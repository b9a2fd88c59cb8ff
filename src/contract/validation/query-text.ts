import type { Fault } from '../../errors.ts';

/** A fault without its location. */
export type Flaw = Omit<Fault, 'loc'>;

/** The value of a text, or why it has none. */
export type Reading<T> = { readonly value: T } | { readonly flaw: Flaw };

const NOT_AN_INTEGER = {
  msg: 'Input should be a valid integer, unable to parse string as an integer',
  type: 'int_parsing',
};
const TOO_MANY_DIGITS = {
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
  type: 'int_parsing_size',
};
const NOT_A_NUMBER = {
  msg: 'Input should be a valid number, unable to parse string as a number',
  type: 'float_parsing',
};
const NOT_A_BOOLEAN = {
  msg: 'Input should be a valid boolean, unable to interpret input',
  type: 'bool_parsing',
};

/** The plus of an offset, which means a space in a query. */
const PLUS_OF_OFFSET = / (?=\d\d:\d\d$)/;

const MAX_CHARACTERS = 4_300;

// No two neighbouring parts of a pattern match the same character, so each takes linear time.
const INTEGER = /^([+-]?)(\d+(?:_\d+)*)(?:\.0+)?$/;
const STARTS_AS_INTEGER = /^[+-]?\d/;
const LEADING_ZEROS = /^0+(?=\d)/;
const SHORT_INTEGER = /^\d{1,15}$/;
const NUMBER = /^([+-]?)(?:(inf(?:inity)?)|(nan)|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i;
const MISPLACED_UNDERSCORE = /^_|__|_$/;
const TRUE = /^(?:1|t|y|on|yes|true)$/i;
const FALSE = /^(?:0|f|n|off|no|false)$/i;

/**
 * ASCII digits with an optional sign, single underscores between digits, and a fraction of zeros only; white
 * space around it is dropped. Beyond the safe integers the nearest safe one is taken, which gives the same answers.
 */
export function readInteger(text: string): Reading<number> {
  if (SHORT_INTEGER.test(text)) return { value: Number(text) };
  const trimmed = text.trim();
  const [, sign, figures] = INTEGER.exec(trimmed) ?? [];
  const digits = figures?.replace(LEADING_ZEROS, '');
  if ((digits ?? trimmed).length > MAX_CHARACTERS && STARTS_AS_INTEGER.test(trimmed)) {
    return { flaw: TOO_MANY_DIGITS };
  }
  if (digits === undefined) return { flaw: NOT_AN_INTEGER };
  const size = Math.min(Number(digits.replaceAll('_', '')), Number.MAX_SAFE_INTEGER);
  // No negative zero: later comparisons would distinguish it from zero.
  return { value: sign === '-' && size !== 0 ? -size : size };
}

/**
 * A decimal number with an optional sign, fraction and exponent, single underscores inside, or a name of
 * infinity or `nan`; white space around it is dropped. Infinities become the ends of the finite numbers and `nan` the
 * upper end: every parameter has bounds, so these values are refused as out of bounds.
 */
export function readNumber(text: string): Reading<number> {
  const trimmed = text.trim();
  if (MISPLACED_UNDERSCORE.test(trimmed)) return { flaw: NOT_A_NUMBER };
  const plain = trimmed.replaceAll('_', '');
  const [match, sign, infinity, nan] = NUMBER.exec(plain) ?? [];
  if (match === undefined) return { flaw: NOT_A_NUMBER };
  if (nan !== undefined) return { value: Number.MAX_VALUE };
  const value = infinity === undefined ? Number(plain) : Number(`${sign}Infinity`);
  return { value: Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) };
}

/** UTC ms as an integer, or the text of a date and time, which is left to the schema. */
export function readInstant(text: string): Reading<number | string> {
  const integer = readInteger(text);
  const isText = 'flaw' in integer && integer.flaw === NOT_AN_INTEGER;
  return isText ? { value: text.replace(PLUS_OF_OFFSET, '+') } : integer;
}

/** A word for yes or no in any case. Nothing is trimmed. */
export function readBoolean(text: string): Reading<boolean> {
  if (TRUE.test(text)) return { value: true };
  return FALSE.test(text) ? { value: false } : { flaw: NOT_A_BOOLEAN };
}
