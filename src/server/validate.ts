import { type Fault, RequestError } from '../errors.ts';

/** Every fault of a request's parameters at once (spec 7). */
export class InvalidRequest extends RequestError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(422, 'invalid_request', 'the request has invalid parameters');
    this.faults = faults;
  }
}

export interface IntegerRule {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
  readonly byDefault: number;
}

/** Throws one InvalidRequest when any fault was found. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new InvalidRequest(faults);
}

/** Reads an integer of the query; of a repeated name the last counts. A fault is added to `faults`. */
export function queryInteger(query: URLSearchParams, rule: IntegerRule, faults: Fault[]): number {
  const text = query.getAll(rule.name).at(-1);
  if (text === undefined) return rule.byDefault;
  const result = boundedInteger(text, rule);
  if (typeof result === 'number') return result;
  faults.push({ loc: ['query', rule.name], ...result });
  return rule.byDefault;
}

export interface ChoiceRule {
  readonly name: string;
  readonly choices: readonly number[];
  readonly byDefault: number;
}

/** Reads one of a few integers of the query. Whatever is none of them is the same fault. */
export function queryChoice(query: URLSearchParams, rule: ChoiceRule, faults: Fault[]): number {
  const { name, choices, byDefault } = rule;
  const text = query.getAll(name).at(-1);
  if (text === undefined) return byDefault;
  const value = parseInteger(text);
  const chosen = typeof value === 'bigint' ? choices.find((choice) => BigInt(choice) === value) : undefined;
  if (chosen !== undefined) return chosen;
  const listed = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  faults.push({ loc: ['query', name], msg: `Input should be ${listed}`, type: 'enum' });
  return byDefault;
}

function boundedInteger(text: string, { min, max }: IntegerRule): number | Omit<Fault, 'loc'> {
  const value = parseInteger(text);
  if (typeof value !== 'bigint') return value;
  if (min !== undefined && value < min) {
    return { msg: `Input should be greater than or equal to ${min}`, type: 'greater_than_equal' };
  }
  if (max !== undefined && value > max) {
    return { msg: `Input should be less than or equal to ${max}`, type: 'less_than_equal' };
  }
  // Without an upper bound any size is valid; past the safe integers no answer differs any more.
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}

const NOT_AN_INTEGER = {
  msg: 'Input should be a valid integer, unable to parse string as an integer',
  type: 'int_parsing',
} as const;
const TOO_LONG = {
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
  type: 'int_parsing_size',
} as const;

const MAX_CHARACTERS = 4_300;

// No two neighbours match the same character, so it takes linear time.
const INTEGER = /^([+-]?)(\d+(?:_\d+)*)(?:\.0+)?$/;
const STARTS_AS_INTEGER = /^[+-]?\d/;
const LEADING_ZEROS = /^0+(?=\d)/;

/**
 * ASCII digits with an optional sign, single underscores between digits, and a fraction of zeros only;
 * white space around is dropped. The rules and texts are those callers know from the usual validator.
 */
function parseInteger(text: string): bigint | typeof NOT_AN_INTEGER | typeof TOO_LONG {
  const trimmed = text.trim();
  const [, sign, figures] = INTEGER.exec(trimmed) ?? [];
  const digits = figures?.replace(LEADING_ZEROS, '');
  if ((digits ?? trimmed).length > MAX_CHARACTERS && STARTS_AS_INTEGER.test(trimmed)) return TOO_LONG;
  if (digits === undefined) return NOT_AN_INTEGER;
  const value = BigInt(digits.replaceAll('_', ''));
  return sign === '-' ? -value : value;
}
