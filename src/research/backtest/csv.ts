import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';

/** A cell as a number; null where it is empty or the file has no such column. */
type Cells = readonly (number | null)[];

/** Reads numbers from the named columns of a CSV file with a header. Other columns are passed over. */
export async function readNumbers(
  path: string,
  columns: { readonly required: readonly string[]; readonly optional?: readonly string[] },
): Promise<Cells[]> {
  const [header = '', ...lines] = (await readFile(path, 'utf8')).split(/\r?\n/);
  const names = header
    .replace(/^\uFEFF/, '')
    .split(',')
    .map((name) => name.trim());
  const missing = columns.required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new ServiceError(
      'BACKTEST_FILE',
      `${path} has no column ${missing.join(', ')}, found ${names.join(', ')}`,
    );
  }
  const wanted = [...columns.required, ...(columns.optional ?? [])].map((name) => names.indexOf(name));
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const cells = line.split(',');
    return [
      wanted.map((column, place) =>
        toNumber(cells[column], place < columns.required.length, path, index + 2),
      ),
    ];
  });
}

function toNumber(text: string | undefined, isRequired: boolean, path: string, line: number): number | null {
  const value = text === undefined || text.trim() === '' ? null : Number(text);
  if (value === null ? isRequired : !Number.isFinite(value)) {
    throw new ServiceError(
      'BACKTEST_FILE',
      `${path} line ${line} has ${text ?? 'nothing'}, expected a number`,
    );
  }
  return value;
}
