/** The classes of a held position by its edge (spec 2.6). */
type HeldSignal = 'STRONG_BUY' | 'BUY' | 'HOLD' | 'AVOID' | 'SELL';
type Recommendation = 'STRONG_HOLD' | 'HOLD' | 'MONITOR' | 'CONSIDER_SELLING';

/** The first row whose threshold is exceeded applies. */
type Table<Name> = readonly (readonly [above: number, name: Name])[];

const SIGNALS: Table<HeldSignal> = [
  [30, 'STRONG_BUY'],
  [10, 'BUY'],
  [0, 'HOLD'],
  [-10, 'AVOID'],
  [Number.NEGATIVE_INFINITY, 'SELL'],
];

const RECOMMENDATIONS: Table<Recommendation> = [
  [0.2, 'STRONG_HOLD'],
  [0.05, 'HOLD'],
  [-0.05, 'MONITOR'],
  [Number.NEGATIVE_INFINITY, 'CONSIDER_SELLING'],
];

/** From the published edge in percent of the price. */
export function heldSignalOf(edgePercent: number | null): HeldSignal | null {
  return nameOf(SIGNALS, edgePercent);
}

/** From the published edge. */
export function recommendationOf(edge: number | null): Recommendation | null {
  return nameOf(RECOMMENDATIONS, edge);
}

function nameOf<Name>(table: Table<Name>, value: number | null): Name | null {
  if (value === null) return null;
  return table.find(([above]) => value > above)?.[1] ?? null;
}
