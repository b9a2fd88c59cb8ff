export function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  if (a.buffer === b.buffer && a.byteOffset === b.byteOffset) return true;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
