import { ServiceError } from '../../errors.ts';
import { type CsvFile, type CsvLine, placeOf, readCsv } from '../csv-lines.ts';
import { TIME_SHAPES, timeOfText } from '../time-text.ts';

/** A cell as a number; null where it is empty or the file has no such column. */
type Cells = readonly (number | null)[];

/** Columns whose names end so hold times. */
const TIME_NAME = /(^|_)(ts|at)$/;

/**
 * Reads numbers from the named columns of a CSV file with a header; times become UTC ms. A name may be several, the first of
 * which the file has is read: `ts|price_ts`. Other columns are passed over.
 */
export async function readNumbers(
  path: string,
  columns: { readonly required: readonly string[]; readonly optional?: readonly string[] },
): Promise<Cells[]> {
  const file = await readCsv(path);
  const required = columns.required.map((name) => numberIn(file, name, true));
  const optional = (columns.optional ?? []).map((name) => numberIn(file, name, false));
  const readers = [...required, ...optional];
  return file.lines.map((line) => readers.map((read) => read(line)));
}

/** Reads the cells of a column. Without the column every cell is null, unless it is required. */
export function numberIn(file: CsvFile, name: string, isRequired: boolean): (line: CsvLine) => number | null {
  const { path, names } = file;
  const place = placeOf(file, ...name.split('|'));
  if (place === -1) {
    if (!isRequired) return () => null;
    const missing = name.replaceAll('|', ' or ');
    throw new ServiceError(
      'BACKTEST_FILE',
      `${path} has no column ${missing}, found ${names.join(', ') || 'nothing'}`,
    );
  }
  const isTime = TIME_NAME.test(names[place] ?? '');
  return ({ line, cells }) => {
    const text = cells[place]?.trim() ?? '';
    if (text === '' && !isRequired) return null;
    const value = isTime ? timeOfText(text) : Number(text);
    if (text !== '' && value !== undefined && Number.isFinite(value)) return value;
    const found = text === '' ? 'nothing' : text;
    throw new ServiceError(
      'BACKTEST_FILE',
      `${path} line ${line} has ${found}, expected ${isTime ? TIME_SHAPES : 'a number'}`,
    );
  };
}
