import { inspect } from 'node:util';
import type { Fault } from '../errors.ts';
import { nearest } from './nearest.ts';

/** A value and where it was given. */
export interface Given {
  readonly name: string;
  readonly value: unknown;
}

/** Longer values are cut, so that a fault fits on one line. */
const MAX_QUOTED_CHARS = 60;

export function quote(value: unknown): string {
  const text = inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, compact: true });
  return text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function ownValue(record: unknown, key: string): unknown {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A name that is none of the known ones; `place` is where it stands when the name alone does not tell. */
export function unknownName(name: string, known: readonly string[], place = name): Fault {
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `, did you mean ${near}`;
  return { loc: [place], msg: `unknown setting${hint}`, type: 'unknown' };
}

export function unexpected(place: string, expects: string, value: unknown): Fault {
  return { loc: [place], msg: `expected ${expects}, found ${quote(value)}`, type: 'value' };
}

export function missing(place: string, expects: string): Fault {
  return { loc: [place], msg: `expected ${expects}, found nothing`, type: 'missing' };
}
