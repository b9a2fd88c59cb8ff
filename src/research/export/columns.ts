export type ScalarType = 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'UTF8';

type ItemType = ScalarType | { readonly struct: Readonly<Record<string, ScalarType>> };

/** The type of a column's values. Lists keep their shape in Parquet and NDJSON, and are JSON text in CSV. */
export type ColumnType = ScalarType | { readonly list: ItemType };

export type Scalar = number | string | boolean | null;

export type Item = Scalar | { readonly [field: string]: Scalar };

export type Cell = Scalar | readonly Item[];

export interface ColumnHead {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

/** A column and where its cells come from. */
export interface Column<Source> extends ColumnHead {
  readonly of: (source: Source) => Cell;
}

/** A column without nulls. */
export function column<Source>(
  name: string,
  type: ColumnType,
  of: (source: Source) => Exclude<Cell, null>,
): Column<Source> {
  return { name, type, isNullable: false, of };
}

export function nullable<Source>(
  name: string,
  type: ScalarType,
  of: (source: Source) => Scalar,
): Column<Source> {
  return { name, type, isNullable: true, of };
}

/** `INT64`, `LIST<DOUBLE>`, `LIST<STRUCT<lo INT64, hi INT64>>`. */
export function typeName(type: ColumnType): string {
  if (typeof type === 'string') return type;
  const { list } = type;
  if (typeof list === 'string') return `LIST<${list}>`;
  const fields = Object.entries(list.struct).map(([name, each]) => `${name} ${each}`);
  return `LIST<STRUCT<${fields.join(', ')}>>`;
}
