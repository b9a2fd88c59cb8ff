import type { CountRange } from '../../../streams/internal.ts';
import { ServiceError } from '../../errors.ts';
import { type CsvFile, type CsvLine, placeOf, readCsv } from '../csv-lines.ts';
import { numberIn } from './csv.ts';
import type { Window } from './windows.ts';

/** The price of a bucket at a time; null from when on it has none. */
export interface BucketPrice extends CountRange {
  readonly at: number;
  readonly price: number | null;
}

/** The prices of one window, ascending by time. */
export interface PriceHistory {
  readonly prices: readonly BucketPrice[];
  /**
   * Whether a price is given only where it changed. Then it holds until the next one of its bucket, as long as the window has
   * news at all. Otherwise it is what was asked at that time.
   */
  readonly isOfChanges: boolean;
}

interface PricedLine {
  readonly at: number;
  readonly window: { readonly startAt: number; readonly endAt: number } | null;
  readonly prices: readonly BucketPrice[];
}

/**
 * Reads prices and gives each window its own. The file is one of `export prices` (changes), one of `export minutes`, or has
 * `ts,bucket_lo,bucket_hi,price`; an empty `bucket_hi` has no upper end. With `start_ts,end_ts` a price belongs to that window,
 * without them to every window that is open at that time. A file of several accounts needs to know which one is meant.
 */
export async function readPrices(
  path: string,
  windows: readonly Window[],
  account?: string,
): Promise<PriceHistory[]> {
  const file = await readCsv(path);
  const lines = linesOfAccount(file, account);
  const readLine = lineReader(file);
  const priced = lines.flatMap((line) => readLine(line) ?? []).sort((a, b) => a.at - b.at);
  const isOfChanges = placeOf(file, 'ts') === -1;
  return windows.map(({ startAt, endAt }) => ({
    isOfChanges,
    prices: priced.flatMap(({ at, window, prices }) => {
      const isOfWindow =
        window === null ? at >= startAt && at < endAt : window.startAt === startAt && window.endAt === endAt;
      return isOfWindow ? prices : [];
    }),
  }));
}

/** Events of two accounts often have the same window. */
function linesOfAccount(file: CsvFile, account: string | undefined): readonly CsvLine[] {
  const { path, lines } = file;
  const place = placeOf(file, 'account');
  if (place === -1) {
    if (account === undefined) return lines;
    throw new ServiceError(
      'BACKTEST_FILE',
      `${path} has no column account, so --account means nothing to it`,
    );
  }
  const nameOf = ({ cells }: CsvLine) => cells[place] ?? '';
  const names = [...new Set(lines.map(nameOf))].filter((name) => name !== '').sort();
  if (account === undefined && names.length > 1) {
    const all = names.join(', ');
    throw new ServiceError('BACKTEST_FILE', `${path} has prices of ${all}: say whose with --account`);
  }
  const meant = account ?? names[0] ?? '';
  if (!names.includes(meant) && names.length > 0)
    throw new ServiceError('BACKTEST_FILE', `${path} has no prices of ${meant}, found ${names.join(', ')}`);
  return lines.filter((line) => nameOf(line) === meant);
}

function lineReader(file: CsvFile): (line: CsvLine) => PricedLine | null {
  const timeOf = numberIn(file, 'ts|price_ts', true);
  const startOf = numberIn(file, 'start_ts', false);
  const endOf = numberIn(file, 'end_ts', false);
  const pricesOf = placeOf(file, 'buckets') === -1 ? singlePrice(file) : wholeMinute(file);
  return (line) => {
    const at = timeOf(line) ?? 0;
    const [startAt, endAt] = [startOf(line), endOf(line)];
    const window = startAt === null || endAt === null ? null : { startAt, endAt };
    return { at, window, prices: pricesOf(line, at) };
  };
}

/** A line of changes may lack its bucket, where the event was not known, and its price, where nobody offered. */
function singlePrice(file: CsvFile): (line: CsvLine, at: number) => BucketPrice[] {
  const isOfChanges = placeOf(file, 'ts') === -1;
  const loOf = numberIn(file, 'bucket_lo', !isOfChanges);
  const hiOf = numberIn(file, 'bucket_hi', false);
  const priceOf = numberIn(file, 'price', !isOfChanges);
  return (line, at) => {
    const lo = loOf(line);
    return lo === null ? [] : [{ at, lo, hi: hiOf(line), price: priceOf(line) }];
  };
}

function wholeMinute(file: CsvFile): (line: CsvLine, at: number) => BucketPrice[] {
  const place = placeOf(file, 'buckets');
  return ({ line, cells }, at) =>
    bucketsIn(cells[place] ?? '', file.path, line).map((each) => ({ at, ...each }));
}

function bucketsIn(text: string, path: string, line: number): Omit<BucketPrice, 'at'>[] {
  try {
    const buckets: unknown = JSON.parse(text);
    if (Array.isArray(buckets)) {
      return buckets.map(({ lo, hi, price }) => {
        const isNumber = (value: unknown) => value === null || typeof value === 'number';
        if (![lo, hi, price].every(isNumber)) throw new TypeError('no bucket');
        return { lo: lo ?? 0, hi, price };
      });
    }
  } catch {
    // Said below, with the place.
  }
  throw new ServiceError(
    'BACKTEST_FILE',
    `${path} line ${line} has no list of buckets in its column buckets`,
  );
}
