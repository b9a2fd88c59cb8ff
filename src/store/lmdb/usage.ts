import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import {
  USAGE_ERRORS_KEPT,
  type UsageError,
  type UsageRow,
  type UsageSpan,
  type UsageStore,
} from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

export const SPAN_MS: Readonly<Record<UsageSpan, number>> = { hour: HOUR_MS, day: DAY_MS };

/** A row without its names, which would be most of the text. */
type PackedRow = [string, string, number, number, number, number];
type PackedError = [number, string, string, number, number, string];

function packRows(rows: readonly UsageRow[]): string {
  const packed = rows.map(
    ({ endpoint, method, requests, errors, ms, bytes }): PackedRow => [
      endpoint,
      method,
      requests,
      errors,
      // Thousandths of a millisecond are noise, and whole digits of a sum would fill the page.
      Math.round(ms * 1_000) / 1_000,
      bytes,
    ],
  );
  return JSON.stringify(packed);
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
      yield [keyId, span === 'day' ? 'day' : 'hour'];
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
      const range = { start: [keyId, 0], end: [keyId, Number.MAX_VALUE], limit };
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
      const rows = parseStored<PackedRow[]>(text, `the usage of ${keyId} in ${span} ${index}`);
      return rows.map(([endpoint, method, requests, errors, ms, bytes]) => ({
        endpoint,
        method,
        requests,
        errors,
        ms,
        bytes,
      }));
    },

    errors(keyId, limit) {
      const range = { start: [keyId, Number.MAX_VALUE], end: [keyId, 0], reverse: true, limit };
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
      const write = root.batch(() => {
        for (const { keyId, span, index, rows } of pages)
          void usage.put([keyId, span, index], packRows(rows));
        for (const { keyId, n, at, endpoint, method, status, ms, message } of errors) {
          const packed: PackedError = [at, endpoint, method, status, ms, message];
          void usageErrors.put([keyId, n], JSON.stringify(packed));
        }
        for (const key of gone) void usageErrors.remove(key);
      });
      await durable(write, 'the usage');
    },

    async prune(beforeAt, maxRows) {
      const pages = stalePages(beforeAt, maxRows);
      const errors = staleErrors(beforeAt, maxRows - pages.length);
      if (pages.length + errors.length === 0) return 0;
      const removal = root.batch(() => {
        for (const key of pages) void usage.remove(key);
        for (const key of errors) void usageErrors.remove(key);
      });
      await durable(removal, 'the pruned usage');
      return pages.length + errors.length;
    },
  };
}
