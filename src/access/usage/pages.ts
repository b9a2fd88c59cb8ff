import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { UsagePage, UsagePageRow, UsageRow, UsageSpan, UsageStore } from '../../store/store.ts';

const MINUTE_S = MINUTE_MS / 1_000;
const HOUR_S = HOUR_MS / 1_000;
const DAY_S = DAY_MS / 1_000;
/** Some 100 MB at worst, and only reached when the disk has been full for long. */
const MAX_PAGES = 20_000;

interface Tally {
  requests: number;
  errors: number;
  ms: number;
  bytes: number;
}

type Tallies = Map<string, Map<string, Tally>>;

interface OpenPage {
  readonly keyId: string;
  readonly span: UsageSpan;
  readonly index: number;
  /** By endpoint and method, of each second; pages of hours and days have all under 0. */
  readonly bySecond: Map<number, Tallies>;
  isDirty: boolean;
}

/** The pages of a request. */
interface PagesOf {
  readonly hour: OpenPage;
  readonly day: OpenPage;
  readonly minute: OpenPage | undefined;
}

/** Requests to an endpoint within one second, of which `at` is some instant, UTC ms. */
export interface UsageSum extends UsageRow {
  readonly at: number;
}

/** Usage per key, endpoint and method, by second, hour and day: pages in memory over pages in the store. */
interface UsagePages {
  /**
   * Adds requests to their hour and their day, and to their second if the key is `isDetailed`. False when there is no
   * room in memory, and they were not added.
   */
  add(keyId: string, sum: UsageSum, isDetailed: boolean): boolean;
  /** The sums per endpoint and method over whole seconds, `[from, to)` since 1970. */
  sum(keyId: string, from: number, to: number): readonly UsageRow[];
  /** The pages that changed since the last time. */
  takeDirty(): readonly UsagePage[];
  /** To be called when what was taken is on disk. Drops the pages that did not change since the time before. */
  written(pages: readonly UsagePage[]): void;
  /** Takes back what could not be written. */
  restore(pages: readonly UsagePage[]): void;
}

/**
 * A page in memory is complete: it includes what is in the store. So a reader looks at one or the other, and no
 * request is seen twice while it is being written.
 */
export function createUsagePages(store: UsageStore, report: (error: unknown) => void): UsagePages {
  const pages = new Map<string, OpenPage>();
  /** The pages of the last request of each key, which are most likely those of the next one. */
  const recent = new Map<string, PagesOf>();

  function open(keyId: string, span: UsageSpan, index: number): OpenPage {
    const name = nameOf({ keyId, span, index });
    const known = pages.get(name);
    if (known !== undefined) return known;
    const page: OpenPage = { keyId, span, index, bySecond: new Map(), isDirty: false };
    try {
      for (const row of store.page(keyId, span, index)) addTo(tallyOf(talliesOf(page, row.second), row), row);
    } catch (error) {
      // A page that cannot be read starts anew, so that usage goes on.
      report(error);
    }
    pages.set(name, page);
    return page;
  }

  function openFor(keyId: string, at: number, isDetailed: boolean): PagesOf | undefined {
    const hour = Math.floor(at / HOUR_MS);
    const minute = isDetailed ? Math.floor(at / MINUTE_MS) : undefined;
    const last = recent.get(keyId);
    if (last?.hour.index === hour && last.minute?.index === minute) return last;
    if (pages.size + (isDetailed ? 3 : 2) > MAX_PAGES) return undefined;
    const opened = {
      hour: open(keyId, 'hour', hour),
      day: open(keyId, 'day', Math.floor(at / DAY_MS)),
      minute: minute === undefined ? undefined : open(keyId, 'minute', minute),
    };
    recent.set(keyId, opened);
    return opened;
  }

  function addSum(page: OpenPage, second: number, sum: UsageSum): void {
    addTo(tallyOf(talliesOf(page, second), sum), sum);
    page.isDirty = true;
  }

  /** The rows of a page, from memory or the store. */
  function rowsIn(keyId: string, span: UsageSpan, index: number): readonly UsagePageRow[] {
    const page = pages.get(nameOf({ keyId, span, index }));
    return page === undefined ? store.page(keyId, span, index) : rowsOf(page);
  }

  return {
    add(keyId, sum, isDetailed) {
      const opened = openFor(keyId, sum.at, isDetailed);
      if (opened === undefined) return false;
      addSum(opened.hour, 0, sum);
      addSum(opened.day, 0, sum);
      if (opened.minute) addSum(opened.minute, Math.floor(sum.at / 1_000) % MINUTE_S, sum);
      return true;
    },

    sum(keyId, from, to) {
      const total: Tallies = new Map();
      const include = (rows: readonly UsageRow[]) => {
        for (const row of rows) addTo(tallyOf(total, row), row);
      };
      for (let at = from; at < to; ) {
        if (at % DAY_S === 0 && at + DAY_S <= to) {
          include(rowsIn(keyId, 'day', at / DAY_S));
          at += DAY_S;
        } else if (at % HOUR_S === 0 && at + HOUR_S <= to) {
          include(rowsIn(keyId, 'hour', at / HOUR_S));
          at += HOUR_S;
        } else {
          const minute = Math.floor(at / MINUTE_S);
          const [first, end] = [at % MINUTE_S, to - minute * MINUTE_S];
          const rows = rowsIn(keyId, 'minute', minute);
          include(rows.filter(({ second }) => second >= first && second < end));
          at = (minute + 1) * MINUTE_S;
        }
      }
      return rowsFrom(total);
    },

    takeDirty() {
      const dirty = [...pages.values()].filter(({ isDirty }) => isDirty);
      return dirty.map((page) => {
        page.isDirty = false;
        const { keyId, span, index } = page;
        return { keyId, span, index, rows: rowsOf(page) };
      });
    },

    written(taken) {
      const names = new Set(taken.map(nameOf));
      for (const [name, { isDirty }] of pages) if (!isDirty && !names.has(name)) pages.delete(name);
      for (const [keyId, { hour, day, minute }] of recent) {
        const isOpen = (page: OpenPage | undefined) => page === undefined || pages.has(nameOf(page));
        if (!isOpen(hour) || !isOpen(day) || !isOpen(minute)) recent.delete(keyId);
      }
    },

    restore(taken) {
      for (const page of taken) open(page.keyId, page.span, page.index).isDirty = true;
    },
  };
}

function nameOf({ keyId, span, index }: Omit<UsagePage, 'rows'>): string {
  return `${span} ${index} ${keyId}`;
}

function talliesOf({ bySecond }: OpenPage, second: number): Tallies {
  const known = bySecond.get(second);
  if (known !== undefined) return known;
  const tallies: Tallies = new Map();
  bySecond.set(second, tallies);
  return tallies;
}

function tallyOf(tallies: Tallies, { endpoint, method }: Pick<UsageRow, 'endpoint' | 'method'>): Tally {
  const byMethod = tallies.get(endpoint) ?? new Map<string, Tally>();
  const known = byMethod.get(method);
  if (known !== undefined) return known;
  const tally = { requests: 0, errors: 0, ms: 0, bytes: 0 };
  tallies.set(endpoint, byMethod.set(method, tally));
  return tally;
}

function addTo(tally: Tally, { requests, errors, ms, bytes }: Readonly<Tally>): void {
  tally.requests += requests;
  tally.errors += errors;
  tally.ms += ms;
  tally.bytes += bytes;
}

function rowsOf({ bySecond }: OpenPage): readonly UsagePageRow[] {
  return [...bySecond].flatMap(([second, tallies]) => rowsFrom(tallies).map((row) => ({ ...row, second })));
}

function rowsFrom(tallies: Tallies): readonly UsageRow[] {
  return [...tallies].flatMap(([endpoint, byMethod]) =>
    Array.from(byMethod, ([method, tally]) => ({ endpoint, method, ...tally })),
  );
}
