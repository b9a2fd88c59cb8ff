import type { Key } from '#database';

type Kind = 'string' | 'number';

/** What the keys of a database are made of: one value, or several in order. */
export type KeyShape = Kind | readonly Kind[];

function isOf(value: unknown, kind: Kind): boolean {
  return kind === 'string' ? typeof value === 'string' : Number.isFinite(value);
}

/** Whether a key can be one that was put. Damage makes keys of any type, which may not even be looked up again. */
export function hasShape(key: Key, shape: KeyShape): boolean {
  if (typeof shape === 'string') return isOf(key, shape);
  return (
    Array.isArray(key) && key.length === shape.length && shape.every((kind, index) => isOf(key[index], kind))
  );
}
