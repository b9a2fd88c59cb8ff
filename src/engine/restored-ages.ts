import {
  type Observation,
  ownValueOf,
  type SourceName,
  sourceOf,
  type TickAges,
} from '../../streams/internal.ts';
import type { Source } from '../sources/source.ts';
import type { Latest } from '../views/latest.ts';
import { UNTOLD_MS } from './watermarks.ts';

/** Of these an active event has values of its own. */
const OWN_INPUTS = ['oracle', 'ui', 'prices'] as const;

/**
 * How old everything was at the last tick of the engine before, without sources that there are no more: the account may
 * have been removed. The tick does not tell of an event that was opened since, or in its turn, or has other buckets or another
 * window since then.
 */
export function restoredAges(
  { receivedAt: tickAt, fact }: Pick<Observation, 'receivedAt'> & { readonly fact: TickAges },
  {
    sources,
    latest,
  }: { readonly sources: readonly Pick<Source, 'name'>[]; readonly latest: Pick<Latest, 'all'> },
): TickAges {
  const names = new Set(sources.map(({ name }) => name));
  const only = <T>(values: Readonly<Record<SourceName, T>>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  const ages = only(fact.ages);
  const lagging = only(fact.lagging ?? {});
  for (const { at, record } of latest.all('events')) {
    // Ages are taken at the beginning of a turn, in which all is received at the same instant.
    if (at < tickAt || record.phase !== 'active') continue;
    const account = record.subject.type === 'posts' ? record.subject.account : '';
    for (const input of OWN_INPUTS) {
      const source = sourceOf(input, account);
      const value = ownValueOf(input, record);
      if (value !== null && source in ages) lagging[source] = { ...lagging[source], [value]: UNTOLD_MS };
    }
  }
  return { ages, ...(Object.keys(lagging).length > 0 && { lagging }) };
}
