/** A JSON object of a document; what is in it is looked at before it is used. */
export type Json = Readonly<Record<string, unknown>>;

export function jsonOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The last part of a reference inside a document, which is the name of what it points to. */
export function nameOfRef(ref: unknown): string | undefined {
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}
