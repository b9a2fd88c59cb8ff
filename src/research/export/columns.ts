/** Of every value in a column. Lists and structs keep their shape in Parquet and NDJSON, and are JSON text in CSV. */
export type ColumnType =
  | 'INT64'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'UTF8'
  | { readonly list: ColumnType }
  | { readonly struct: Readonly<Record<string, ColumnType>> };

export type Cell = number | string | boolean | null | readonly Cell[] | { readonly [field: string]: Cell };

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
  type: ColumnType,
  of: (source: Source) => Cell,
): Column<Source> {
  return { name, type, isNullable: true, of };
}

/** `INT64`, `LIST<DOUBLE>`, `LIST<STRUCT<lo INT64, hi INT64>>`. */
export function typeName(type: ColumnType): string {
  if (typeof type === 'string') return type;
  if ('list' in type) return `LIST<${typeName(type.list)}>`;
  const fields = Object.entries(type.struct).map(([name, each]) => `${name} ${typeName(each)}`);
  return `STRUCT<${fields.join(', ')}>`;
}
