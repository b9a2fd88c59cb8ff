import type { z } from 'zod';

/** A value that fits a schema and is not to be changed: what a record is made as. */
export type RecordOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
