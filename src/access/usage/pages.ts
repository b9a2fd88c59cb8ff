import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import type { UsagePage, UsageRow, UsageSpan, UsageStore } from '../../store/store.ts';
import type { RecordedRequest } from './recorder.ts';

const HOURS_PER_DAY = DAY_MS / HOUR_MS;
/** Some 100 MB at worst, and only reached when the disk has been full for long. */
const MAX_PAGES = 20_000;

interface Tally {
  requests: number;
  errors: number;
  ms: number;
  bytes: number;
}

interface OpenPage {
  readonly keyId: string;
  readonly span: UsageSpan;
  readonly index: number;
  readonly byEndpoint: Map<string, Map<string, Tally>>;
  isDirty: boolean;
}

/** Usage per key, endpoint and method, by hour and by day: pages in memory over pages in the store. */
interface UsagePages {
  /** Adds a request to its hour and its day. False when there is no room in memory, and it was not added. */
  add(keyId: string, request: RecordedRequest): boolean;
  /** The sums per endpoint and method over whole hours, `[fromHour, toHour)` since 1970. */
  sum(keyId: string, fromHour: number, toHour: number): readonly UsageRow[];
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
  const recent = new Map<string, { readonly hour: OpenPage; readonly day: OpenPage }>();

  function open(keyId: string, span: UsageSpan, index: number): OpenPage {
    const name = nameOf({ keyId, span, index });
    const known = pages.get(name);
    if (known !== undefined) return known;
    const page: OpenPage = { keyId, span, index, byEndpoint: new Map(), isDirty: false };
    try {
      for (const row of store.page(keyId, span, index)) addTo(tallyOf(page, row.endpoint, row.method), row);
    } catch (error) {
      // A page that cannot be read starts anew, so that usage goes on.
      report(error);
    }
    pages.set(name, page);
    return page;
  }

  function openFor(keyId: string, hour: number) {
    const last = recent.get(keyId);
    if (last?.hour.index === hour) return last;
    if (pages.size + 2 > MAX_PAGES) return undefined;
    const both = {
      hour: open(keyId, 'hour', hour),
      day: open(keyId, 'day', Math.floor(hour / HOURS_PER_DAY)),
    };
    recent.set(keyId, both);
    return both;
  }

  function addRequest(page: OpenPage, { endpoint, method, status, ms, bytes }: RecordedRequest): void {
    const errors = status >= 400 ? 1 : 0;
    addTo(tallyOf(page, endpoint, method), { requests: 1, errors, ms, bytes });
    page.isDirty = true;
  }

  return {
    add(keyId, request) {
      const both = openFor(keyId, Math.floor(request.at / HOUR_MS));
      if (both === undefined) return false;
      addRequest(both.hour, request);
      addRequest(both.day, request);
      return true;
    },

    sum(keyId, fromHour, toHour) {
      const total: OpenPage = { keyId, span: 'day', index: 0, byEndpoint: new Map(), isDirty: false };
      const include = (span: UsageSpan, index: number) => {
        const page = pages.get(nameOf({ keyId, span, index }));
        const rows = page === undefined ? store.page(keyId, span, index) : rowsOf(page);
        for (const row of rows) addTo(tallyOf(total, row.endpoint, row.method), row);
      };
      for (let hour = fromHour; hour < toHour; ) {
        const isWholeDay = hour % HOURS_PER_DAY === 0 && hour + HOURS_PER_DAY <= toHour;
        if (isWholeDay) include('day', hour / HOURS_PER_DAY);
        else include('hour', hour);
        hour += isWholeDay ? HOURS_PER_DAY : 1;
      }
      return rowsOf(total);
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
      for (const [keyId, { hour, day }] of recent) {
        if (!pages.has(nameOf(hour)) || !pages.has(nameOf(day))) recent.delete(keyId);
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

function tallyOf({ byEndpoint }: OpenPage, endpoint: string, method: string): Tally {
  const byMethod = byEndpoint.get(endpoint) ?? new Map<string, Tally>();
  const known = byMethod.get(method);
  if (known !== undefined) return known;
  const tally = { requests: 0, errors: 0, ms: 0, bytes: 0 };
  byEndpoint.set(endpoint, byMethod.set(method, tally));
  return tally;
}

function addTo(tally: Tally, { requests, errors, ms, bytes }: Readonly<Tally>): void {
  tally.requests += requests;
  tally.errors += errors;
  tally.ms += ms;
  tally.bytes += bytes;
}

function rowsOf({ byEndpoint }: OpenPage): readonly UsageRow[] {
  return [...byEndpoint].flatMap(([endpoint, byMethod]) =>
    Array.from(byMethod, ([method, tally]) => ({ endpoint, method, ...tally })),
  );
}
