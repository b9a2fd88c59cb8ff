import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import {
  USAGE_ERRORS_KEPT,
  type UsageError,
  type UsagePageRow,
  type UsageRow,
  type UsageSpan,
  type UsageStore,
} from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

export const SPAN_MS: Readonly<Record<UsageSpan, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};

/** A row of an hour or a day without its names, which would be most of the text. */
type PackedRow = [
  endpoint: string,
  method: string,
  requests: number,
  errors: number,
  ms: number,
  bytes: number,
];
/** All rows of an endpoint and method in a minute: the second and the numbers of a packed row, again and again. */
type PackedSeconds = [endpoint: string, method: string, ...numbers: number[]];
const NUMBERS = 5;
type PackedError = [number, string, string, number, number, string];

function packRows(span: UsageSpan, rows: readonly UsagePageRow[]): string {
  return JSON.stringify(span === 'minute' ? packSeconds(rows) : rows.map(packRow));
}

function packError({ at, endpoint, method, status, ms, message }: UsageError): string {
  const packed: PackedError = [at, endpoint, method, status, ms, message];
  return JSON.stringify(packed);
}

function packRow({ endpoint, method, requests, errors, ms, bytes }: UsageRow): PackedRow {
  // Thousandths of a millisecond are noise, and whole digits of a sum would fill the page.
  return [endpoint, method, requests, errors, Math.round(ms * 1_000) / 1_000, bytes];
}

function packSeconds(rows: readonly UsagePageRow[]): readonly PackedSeconds[] {
  const packed = new Map<string, PackedSeconds>();
  for (const row of rows) {
    const [endpoint, method, ...numbers] = packRow(row);
    const name = `${method} ${endpoint}`;
    const own: PackedSeconds = packed.get(name) ?? [endpoint, method];
    own.push(row.second, ...numbers);
    packed.set(name, own);
  }
  return [...packed.values()];
}

function unpackRow([endpoint, method, requests, errors, ms, bytes]: PackedRow): UsagePageRow {
  return { endpoint, method, second: 0, requests, errors, ms, bytes };
}

/** By index, as a span of unfinished hours has a hundred such pages, and a copy for each row takes most of the time. */
function unpackSeconds([endpoint, method, ...numbers]: PackedSeconds): readonly UsagePageRow[] {
  const rows: UsagePageRow[] = [];
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    rows.push({
      endpoint,
      method,
      second: numbers[at] ?? 0,
      requests: numbers[at + 1] ?? 0,
      errors: numbers[at + 2] ?? 0,
      ms: numbers[at + 3] ?? 0,
      bytes: numbers[at + 4] ?? 0,
    });
  }
  return rows;
}

/** The keys of a key's errors. */
function errorsOf(keyId: string) {
  const start: [string, number] = [keyId, 0];
  const end: [string, number] = [keyId, Number.MAX_VALUE];
  return { start, end };
}

function isSpan(text: string): text is UsageSpan {
  return Object.hasOwn(SPAN_MS, text);
}

/** Usage under the key, the span and its index, one page each; errors under the key and their number. */
export function openUsage({ durable, root, usage, usageErrors }: Environment): UsageStore {
  /** Every key id with its spans. Skips over their pages. */
  function* spans(): Iterable<[keyId: string, span: UsageSpan]> {
    let start: [string, string, number] | undefined;
    for (;;) {
      const [key] = [...usage.getKeys({ ...(start && { start }), limit: 1 })];
      if (key === undefined) return;
      const [keyId, span] = key;
      if (isSpan(span)) yield [keyId, span];
      start = [keyId, span, Number.MAX_VALUE];
    }
  }

  function* keysWithErrors(): Iterable<string> {
    let start: [string, number] | undefined;
    for (;;) {
      const [key] = [...usageErrors.getKeys({ ...(start && { start }), limit: 1 })];
      if (key === undefined) return;
      yield key[0];
      start = [key[0], Number.MAX_VALUE];
    }
  }

  function stalePages(beforeAt: number, maxRows: number): [string, string, number][] {
    const stale: [string, string, number][] = [];
    for (const [keyId, span] of spans()) {
      const limit = maxRows - stale.length;
      if (limit === 0) break;
      // The page that holds this moment is not over yet.
      const end = Math.floor(beforeAt / SPAN_MS[span]);
      stale.push(...usage.getKeys({ start: [keyId, span, 0], end: [keyId, span, end], limit }));
    }
    return stale;
  }

  function staleErrors(beforeAt: number, maxRows: number): [string, number][] {
    const stale: [string, number][] = [];
    for (const keyId of keysWithErrors()) {
      const limit = maxRows - stale.length;
      if (limit === 0) break;
      const range = { ...errorsOf(keyId), limit };
      for (const { key, value } of usageErrors.getRange(range)) {
        if (parseStored<PackedError>(value, `the usage of ${keyId}`)[0] >= beforeAt) break;
        stale.push(key);
      }
    }
    return stale;
  }

  /** The keys of errors that newer ones push out. */
  function pushedOut(errors: readonly UsageError[]): [string, number][] {
    const newest = new Map<string, number>();
    for (const { keyId, n } of errors) newest.set(keyId, Math.max(n, newest.get(keyId) ?? 0));
    return [...newest].flatMap(([keyId, n]) => [
      ...usageErrors.getKeys({ start: [keyId, 0], end: [keyId, n - USAGE_ERRORS_KEPT + 1] }),
    ]);
  }

  return {
    page(keyId, span, index) {
      const text = usage.get([keyId, span, index]);
      if (text === undefined) return [];
      const what = `the usage of ${keyId} in ${span} ${index}`;
      return span === 'minute'
        ? parseStored<PackedSeconds[]>(text, what).flatMap(unpackSeconds)
        : parseStored<PackedRow[]>(text, what).map(unpackRow);
    },

    errors(keyId, limit) {
      const { start, end } = errorsOf(keyId);
      const range = { start: end, end: start, reverse: true, limit };
      return Array.from(usageErrors.getRange(range), ({ key, value }) => {
        const [at, endpoint, method, status, ms, message] = parseStored<PackedError>(
          value,
          `the usage of ${keyId}`,
        );
        return { keyId, n: key[1], at, endpoint, method, status, ms, message };
      });
    },

    async write(pages, errors) {
      const gone = pushedOut(errors);
      const pageTexts = pages.map(({ span, rows }) => packRows(span, rows));
      const errorTexts = errors.map(packError);
      const write = () =>
        root.batch(() => {
          for (const [index, { keyId, span, index: page }] of pages.entries())
            void usage.put([keyId, span, page], pageTexts[index] ?? '');
          for (const [index, { keyId, n }] of errors.entries())
            void usageErrors.put([keyId, n], errorTexts[index] ?? '');
          for (const key of gone) void usageErrors.remove(key);
        });
      await durable(write, 'the usage', sizeOf([...pageTexts, ...errorTexts], gone.length));
    },

    async prune(beforeAt, maxRows) {
      const pages = stalePages(beforeAt, maxRows);
      const errors = staleErrors(beforeAt, maxRows - pages.length);
      if (pages.length + errors.length === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const key of pages) void usage.remove(key);
          for (const key of errors) void usageErrors.remove(key);
        });
      const rows = pages.length + errors.length;
      await durable(removal, 'the pruned usage', { rows, bytes: 0 });
      return rows;
    },
  };
}
