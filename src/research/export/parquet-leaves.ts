import type { SchemaElement } from 'hyparquet-writer';
import type { Cell, ColumnHead, Item, Scalar, ScalarType } from './columns.ts';

/** A place in the schema that holds values: a column, the items of a list, or one field of them. */
export interface Leaf {
  readonly type: ScalarType;
  /** The elements from below the root to its own. */
  readonly path: readonly SchemaElement[];
  /** The format's definition level of a value that is not null. */
  readonly maxDefinition: number;
  readonly isListed: boolean;
  readonly field: string | undefined;
}

/**
 * The values of a leaf, row after row. Levels beside each value mark where lists begin and what is null, as the format
 * defines them; levels that would all be 0 are left out.
 */
interface Shredded {
  readonly values: Scalar[];
  readonly definitions: number[];
  readonly repetitions: number[];
}

/** The elements of a column in the schema, and those of them that hold values. */
export function elementsOf({ name, type, isNullable }: ColumnHead): {
  readonly elements: readonly SchemaElement[];
  readonly leaves: readonly Leaf[];
} {
  if (typeof type === 'string') {
    const self = scalarElement(name, type, isNullable);
    const place = { maxDefinition: isNullable ? 1 : 0, isListed: false, field: undefined };
    return { elements: [self], leaves: [{ type, path: [self], ...place }] };
  }
  // A list takes three levels in the format.
  const above: readonly SchemaElement[] = [
    {
      name,
      repetition_type: 'REQUIRED',
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ];
  const { list } = type;
  if (typeof list === 'string') {
    const item = scalarElement('element', list, false);
    const place = { maxDefinition: 1, isListed: true, field: undefined };
    return { elements: [...above, item], leaves: [{ type: list, path: [...above, item], ...place }] };
  }
  const names = Object.entries(list.struct);
  const struct: SchemaElement = {
    name: 'element',
    repetition_type: 'REQUIRED',
    num_children: names.length,
  };
  const leaves = names.map(([field, each]) => {
    const path = [...above, struct, scalarElement(field, each, true)];
    return { type: each, path, maxDefinition: 2, isListed: true, field };
  });
  return { elements: [...above, struct, ...leaves.flatMap(({ path }) => path.slice(-1))], leaves };
}

function scalarElement(name: string, type: ScalarType, isNullable: boolean): SchemaElement {
  const self = { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' } as const;
  return type === 'UTF8'
    ? { ...self, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    : { ...self, type };
}

/** Takes the values of a leaf out of its column. Throws for one that is not of its type, a bug of the schema. */
export function shred(leaf: Leaf, cells: readonly Cell[]): Shredded {
  return leaf.isListed ? shredLists(leaf, cells) : shredScalars(leaf, cells);
}

function shredScalars({ type, maxDefinition }: Leaf, cells: readonly Cell[]): Shredded {
  const values = cells.map((cell) => {
    if (cell === null ? maxDefinition === 0 : !isOf(type, cell)) refuse(cell, type);
    return cell as Scalar;
  });
  const definitions = maxDefinition === 0 ? [] : values.map((value) => (value === null ? 0 : 1));
  return { values, definitions, repetitions: [] };
}

function shredLists({ type, maxDefinition, field }: Leaf, cells: readonly Cell[]): Shredded {
  let length = 0;
  for (const cell of cells) length += isList(cell) ? Math.max(1, cell.length) : 0;
  const values = new Array<Scalar>(length);
  const definitions = new Array<number>(length);
  const repetitions = new Array<number>(length);
  let place = 0;
  for (const cell of cells) {
    if (!isList(cell)) refuse(cell, `a list of ${type}`);
    if (cell.length === 0) {
      values[place] = null;
      definitions[place] = 0;
      repetitions[place] = 0;
      place += 1;
    }
    for (let index = 0; index < cell.length; index++) {
      const item = cell[index] ?? null;
      const value = field === undefined ? item : isStruct(item) ? (item[field] ?? null) : refuse(item, field);
      if (value === null ? field === undefined : !isOf(type, value)) refuse(value, type);
      values[place] = value as Scalar;
      definitions[place] = value === null ? maxDefinition - 1 : maxDefinition;
      repetitions[place] = index === 0 ? 0 : 1;
      place += 1;
    }
  }
  return { values, definitions, repetitions };
}

function isOf(type: ScalarType, value: Cell | Item): boolean {
  if (type === 'INT64') return Number.isSafeInteger(value);
  if (type === 'DOUBLE') return typeof value === 'number';
  return typeof value === (type === 'UTF8' ? 'string' : 'boolean');
}

function isList(cell: Cell): cell is readonly Item[] {
  return Array.isArray(cell);
}

function isStruct(item: Item): item is { readonly [field: string]: Scalar } {
  return typeof item === 'object' && item !== null;
}

function refuse(found: Cell | Item, expected: string): never {
  throw new TypeError(`found ${JSON.stringify(found)}, expected ${expected}`);
}
