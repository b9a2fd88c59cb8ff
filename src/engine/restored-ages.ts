import type { Observation, SourceName, TickFact } from '../../streams/internal.ts';
import type { Source, SourceLookups } from '../sources/source.ts';
import type { Latest } from '../views/latest.ts';
import { UNTOLD_MS } from './watermarks.ts';

type Ages = Pick<TickFact, 'ages' | 'lagging'>;

interface RestoredDeps {
  readonly sources: readonly Pick<Source, 'name'>[];
  readonly latest: Pick<Latest, 'all'>;
  readonly lookups: Pick<SourceLookups, 'hasBook'>;
}

/**
 * How old everything was at the last tick of the engine before, without sources that there are no more: the account may
 * have been removed. An event that has changed since may have other buckets than those whose age the tick tells.
 */
export function restoredAges(
  { receivedAt, fact }: Pick<Observation, 'receivedAt'> & { readonly fact: Ages },
  { sources, latest, lookups }: RestoredDeps,
): Ages {
  const names = new Set(sources.map(({ name }) => name));
  const only = <T>(values: Readonly<Record<SourceName, T>>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  const ages = only(fact.ages);
  const lagging = only(fact.lagging ?? {});
  const changed = Array.from(latest.all('events')).flatMap(({ at, key, record: { phase, buckets } }) => {
    const isPriced = phase === 'active' && buckets.some(({ yesToken }) => lookups.hasBook(yesToken));
    // What is logged in the turn of a tick is not known when its ages are taken.
    return at >= receivedAt && isPriced ? [[key, UNTOLD_MS] as const] : [];
  });
  if (ages.prices !== undefined && changed.length > 0)
    lagging.prices = { ...lagging.prices, ...Object.fromEntries(changed) };
  return { ages, ...(Object.keys(lagging).length > 0 && { lagging }) };
}
