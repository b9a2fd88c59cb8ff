import type { AlertPlace, AlertRow, StoredAlerts } from '../../../src/store/store.ts';

/** Rows of alerts in memory, in the order of those on disk. */
export function createMemoryAlerts(): StoredAlerts {
  const rows = new Map<string, AlertRow>();
  const keyOf = (place: AlertPlace) => JSON.stringify(place);
  return {
    rows: (kind, rule) =>
      [...rows.values()]
        .filter(({ place }) => place[0] === kind && (rule === undefined || place[1] === rule))
        .sort(({ place: a }, { place: b }) => (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : a[2] - b[2])),
    async write({ put, remove }) {
      for (const place of remove) rows.delete(keyOf(place));
      for (const row of put) rows.set(keyOf(row.place), row);
    },
  };
}
