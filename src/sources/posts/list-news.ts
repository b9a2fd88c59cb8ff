import type { PostFact } from '../../../streams/internal.ts';
import { remembered } from '../../resilience/remembered.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import type { SourceContext } from '../source.ts';
import { type ListedSpan, OVERLAP_MS } from './list-reader.ts';
import { listedFact } from './oracle-list.ts';

/** What a part of the list adds to the log. */
type ListNews = (span: ListedSpan, context: SourceContext) => readonly PostFact[];

/**
 * Tells of posts that the log lacks, and of posts that the oracle has meanwhile. `firstIdOf` gives the first id of a post
 * that is listed under the id of an edit.
 */
export function createListNews(
  account: AccountEndpoint,
  endpoints: Endpoints,
  firstIdOf: (id: string) => string = (id) => id,
): ListNews {
  // The log does not know a post under the id of an edit, so that it would be news each time. Others it knows by the
  // next reading.
  const told = remembered<string, true>(10_000);
  return ({ listed, via }, { lookups, now }) => {
    const openFrom = now() - OVERLAP_MS;
    for (const id of [...told.keys()]) if (lookups.post(firstIdOf(id)) !== undefined) told.delete(id);
    const news = listed.filter(({ id, createdAt }) => {
      const known = lookups.post(firstIdOf(id));
      return known === undefined ? !told.has(id) : known.oracleAt === null && createdAt >= openFrom;
    });
    for (const { id } of news) told.set(id, true);
    return news.map((post) => listedFact(post, via, account, endpoints));
  };
}
