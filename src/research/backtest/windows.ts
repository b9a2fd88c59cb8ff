import { Temporal } from 'temporal-polyfill';
import { DAY_MS, type Gap } from '../../../streams/internal.ts';
import { ServiceError } from '../../errors.ts';
import { readNumbers } from './csv.ts';

/** A window whose final count is forecast and, once known, scored. */
export interface Window {
  readonly startAt: number;
  readonly endAt: number;
  /** The settled count, where it is given; otherwise its posts are counted. */
  readonly total: number | null;
}

export const WINDOW_KINDS = ['weekly', '2d', '3d', 'monthly'] as const;
type WindowKind = (typeof WINDOW_KINDS)[number];

const ZONE = 'America/New_York';
const FRIDAY = 5;
/** The model looks no further ahead. */
const MAX_WINDOW_MS = 92 * DAY_MS;

export function isWindowKind(text: string): text is WindowKind {
  return WINDOW_KINDS.some((kind) => kind === text);
}

/** Windows from a CSV file: start_ts, end_ts and maybe total. */
export async function readWindows(path: string): Promise<Window[]> {
  const rows = await readNumbers(path, { required: ['start_ts', 'end_ts'], optional: ['total'] });
  return rows.map(([start, end, total], index) => {
    const [startAt, endAt] = [start ?? 0, end ?? 0];
    if (endAt <= startAt || endAt - startAt > MAX_WINDOW_MS) {
      throw new ServiceError(
        'BACKTEST_FILE',
        `${path}: window ${index + 1} lasts ${endAt - startAt} ms, expected between 0 and ${MAX_WINDOW_MS} (92 days)`,
      );
    }
    return { startAt, endAt, total: total ?? null };
  });
}

/**
 * Windows of a kind one after the other that lie within a span: noon to noon in New York, weeks from Friday,
 * months from the first at midnight.
 */
export function windowsOf(kind: WindowKind, fromAt: number, toAt: number): Window[] {
  const length = { weekly: { days: 7 }, '2d': { days: 2 }, '3d': { days: 3 }, monthly: { months: 1 } }[kind];
  let start = firstStart(kind, fromAt);
  const windows: Window[] = [];
  for (;;) {
    const end = start.add(length);
    if (end.epochMilliseconds > toAt) return windows;
    windows.push({ startAt: start.epochMilliseconds, endAt: end.epochMilliseconds, total: null });
    start = end;
  }
}

function firstStart(kind: WindowKind, fromAt: number): Temporal.ZonedDateTime {
  const at = Temporal.Instant.fromEpochMilliseconds(fromAt).toZonedDateTimeISO(ZONE);
  if (kind === 'monthly') {
    const first = at.with({ day: 1 }).startOfDay();
    return first.epochMilliseconds >= fromAt ? first : first.add({ months: 1 });
  }
  let noon = at.startOfDay().add({ hours: 12 }).withPlainTime('12:00');
  while (noon.epochMilliseconds < fromAt || (kind === 'weekly' && noon.dayOfWeek !== FRIDAY)) {
    noon = noon.add({ days: 1 });
  }
  return noon;
}

export function overlaps(window: Window, gaps: readonly Gap[]): boolean {
  return gaps.some(({ fromAt, toAt }) => fromAt < window.endAt && toAt > window.startAt);
}
