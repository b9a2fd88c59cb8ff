import type { Fault } from '../errors.ts';
import { isRecord, unexpected, unknownName } from './faults.ts';
import type { Format } from './formats.ts';

/** The fields of a JSON object in the config file. A field with fields of its own is an object again. */
export interface Fields {
  readonly [key: string]: Format<unknown> | Fields;
}

/** What was read. A field that was not given, or was faulty, is absent. */
export type Read<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Format<infer T> ? T : F[K] extends Fields ? Read<F[K]> : never;
};

function isFormat(field: Format<unknown> | Fields): field is Format<unknown> {
  return typeof field.expects === 'string';
}

/** Reads an object, and adds a fault for everything in it that cannot be used. `place` is where the object stands. */
export function readFields<F extends Fields>(
  fields: F,
  value: unknown,
  place: string,
  faults: Fault[],
): Read<F> {
  const known = Object.keys(fields);
  if (!isRecord(value)) {
    faults.push(unexpected(place, `an object with ${known.join(', ')}`, value));
    return {};
  }
  const read: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    const at = `${place}.${key}`;
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) faults.push(unknownName(key, known, at));
    else if (!isFormat(field)) read[key] = readFields(field, given, at, faults);
    else {
      const parsed = field.schema.safeParse(given);
      if (parsed.success) read[key] = parsed.data;
      else faults.push(unexpected(at, field.expects, given));
    }
  }
  // Each value came out of the field that its key names.
  return read as Read<F>;
}
