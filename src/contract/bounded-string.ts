import * as z from 'zod';

/**
 * A string of at most `max` code points, as JSON Schema counts them; zod's own limit counts UTF-16 units. The pattern
 * is tested only within that length, which bounds its cost.
 */
export function boundedString(max: number, pattern?: RegExp) {
  return z
    .string()
    .check(({ value, issues }) => {
      if (isLongerThan(value, max)) {
        issues.push({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: value });
      } else if (pattern !== undefined && !pattern.test(value)) {
        issues.push({
          code: 'invalid_format',
          format: 'regex',
          origin: 'string',
          pattern: String(pattern),
          input: value,
        });
      }
    })
    .meta({ maxLength: max, ...(pattern === undefined ? {} : { pattern: pattern.source }) });
}

function isLongerThan(value: string, max: number): boolean {
  if (value.length <= max) return false;
  // A code point has at most two units.
  if (value.length > 2 * max) return true;
  return [...value].length > max;
}
