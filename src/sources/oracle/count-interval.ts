import type { Endpoints } from '../endpoints.ts';
import { SOURCE_SETTINGS, type SourceSettings } from '../settings.ts';

type Periods = Pick<SourceSettings, 'oraclePeriodMs' | 'trackingsPeriodMs' | 'listPeriodMs'>;

/**
 * About how many ms pass from one reading of a window's count to the next, while each account has so many windows: the
 * period, or the turns that the sources of all accounts take at the oracle, if these are longer. Totals of ended windows,
 * which are read after the first start, are left out.
 */
export function countIntervalMs(
  { accounts, oracle }: Pick<Endpoints, 'accounts' | 'oracle'>,
  windows: number,
  { oraclePeriodMs, trackingsPeriodMs, listPeriodMs }: Periods = SOURCE_SETTINGS,
): number {
  // One source of each account asks for windows and counts, another for the list of posts.
  const sourcesMs = (oracle.gapMs ?? 0) * accounts.length;
  const turnMs = withRepeated(sourcesMs, sourcesMs, listPeriodMs);
  return Math.max(oraclePeriodMs, withRepeated(windows * turnMs, turnMs, trackingsPeriodMs));
}

/** How long `ms` of requests take when others, of `otherMs`, fall due each `periodMs`, or as often as they get their turn. */
function withRepeated(ms: number, otherMs: number, periodMs: number): number {
  return ms + otherMs >= periodMs ? ms + otherMs : ms / (1 - otherMs / periodMs);
}
