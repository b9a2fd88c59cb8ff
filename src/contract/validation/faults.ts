import type * as z from 'zod';
import type { Fault } from '../../errors.ts';
import type { Flaw } from './query-text.ts';

export const MISSING: Flaw = { msg: 'Field required', type: 'missing' };
const NOT_A_STRING: Flaw = { msg: 'Input should be a valid string', type: 'string_type' };
const NOT_AN_INSTANT: Flaw = {
  msg: 'Input should be a valid datetime or date, unable to parse string as UTC ms or ISO 8601',
  type: 'datetime_from_date_parsing',
};
const NOT_AN_OBJECT: Flaw = {
  msg: 'Input should be a valid dictionary or object to extract fields from',
  type: 'model_attributes_type',
};

const NOT_OF_TYPE: Readonly<Record<string, Flaw>> = {
  object: NOT_AN_OBJECT,
  number: { msg: 'Input should be a valid number', type: 'float_type' },
  int: { msg: 'Input should be a valid integer', type: 'int_type' },
  boolean: { msg: 'Input should be a valid boolean', type: 'bool_type' },
};

/**
 * Zod's issues in the words and types of Pydantic, which callers of such interfaces know. Only the first fault of each
 * field is given, in the order of `fields`. The issues must contain their input.
 */
export function faultsOf(
  issues: readonly z.core.$ZodIssue[],
  where: 'query' | 'body',
  fields: readonly string[],
): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    const name = path.join('.');
    if (faults.has(name)) continue;
    faults.set(name, { loc: [where, ...path], ...flawOf(issue) });
  }
  const place = ({ loc }: Fault) => fields.indexOf(String(loc[1] ?? ''));
  return [...faults.values()].sort((a, b) => place(a) - place(b));
}

function flawOf(issue: z.core.$ZodIssue): Flaw {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return MISSING;
      return NOT_OF_TYPE[issue.expected] ?? NOT_A_STRING;
    case 'invalid_value': {
      if (issue.input === undefined) return MISSING;
      const type = issue.values.some((value) => typeof value === 'string') ? 'literal_error' : 'enum';
      return { msg: `Input should be ${listed(issue.values)}`, type };
    }
    case 'too_small':
      return issue.origin === 'string'
        ? { msg: `String should have at least ${characters(issue.minimum)}`, type: 'string_too_short' }
        : { msg: `Input should be greater than or equal to ${issue.minimum}`, type: 'greater_than_equal' };
    case 'too_big':
      return issue.origin === 'string'
        ? { msg: `String should have at most ${characters(issue.maximum)}`, type: 'string_too_long' }
        : { msg: `Input should be less than or equal to ${issue.maximum}`, type: 'less_than_equal' };
    case 'not_multiple_of':
      return { msg: `Input should be a multiple of ${issue.divisor}`, type: 'multiple_of' };
    case 'invalid_format':
      return {
        msg: `String should match pattern '${issue.pattern?.replace(/^\/|\/$/g, '')}'`,
        type: 'string_pattern_mismatch',
      };
    case 'invalid_union':
      return NOT_AN_INSTANT;
    case 'custom':
      if (issue.params?.type === MISSING.type) return MISSING;
      return { msg: `Value error, ${issue.message}`, type: 'value_error' };
    default:
      return { msg: `Value error, ${issue.message}`, type: 'value_error' };
  }
}

/** `'agent' or 'human'`, `24, 48 or 72`. */
function listed(values: readonly unknown[]): string {
  const words = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function characters(count: number | bigint): string {
  return `${count} character${Number(count) === 1 ? '' : 's'}`;
}
