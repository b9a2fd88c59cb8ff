import type { WorldEvent } from '../market/event.ts';
import type { Settlement } from '../market/settlement.ts';
import { wholeNumber } from './answer.ts';

/** A row of a list. Rows are ordered by `rank`, then by `id`, which is unique. */
export interface Ranked<T> {
  readonly item: T;
  readonly id: number;
  readonly rank: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/** A fault of a list's query, as the market words it. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
}

function instant(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new ListFault(`${name} is invalid`);
  return at;
}

/** `closed` defaults to false: settled events are shown only to those who ask for them, and then alone. */
function wantsClosed(query: URLSearchParams): boolean {
  return query.get('closed') === 'true';
}

export function filterEvents(
  events: readonly WorldEvent[],
  query: URLSearchParams,
  settlement: Settlement,
  now: number,
): readonly WorldEvent[] {
  const tagIds = query.getAll('tag_id');
  if (tagIds.some((id) => !/^\d+$/.test(id))) throw new ListFault('tag_id is invalid');
  const tagSlugs = query.getAll('tag_slug');
  const ids = query.getAll('id');
  if (ids.some((id) => !/^\d+$/.test(id))) throw new ListFault('id is invalid');
  const slugs = query.getAll('slug');
  const seriesIds = query.getAll('series_id');
  const seriesSlugs = query.getAll('series_slug');
  const endMin = instant(query, 'end_date_min') ?? 0;
  const endMax = instant(query, 'end_date_max') ?? Number.POSITIVE_INFINITY;
  const startMin = instant(query, 'start_date_min') ?? 0;
  const startMax = instant(query, 'start_date_max') ?? Number.POSITIVE_INFINITY;
  const search = query.get('title_search')?.toLowerCase() ?? '';
  const recurrence = query.get('recurrence');
  const isIn = (wanted: readonly string[], value: string): boolean =>
    wanted.length === 0 || wanted.includes(value);
  return events.filter(
    (event) =>
      isIn(tagIds, event.tag.id) &&
      isIn(tagSlugs, event.tag.slug) &&
      isIn(ids, String(event.id)) &&
      isIn(slugs, event.slug) &&
      isIn(seriesIds, String(event.series?.id ?? '')) &&
      isIn(seriesSlugs, event.series?.slug ?? '') &&
      (recurrence === null || event.series?.recurrence === recurrence) &&
      event.endAt >= endMin &&
      event.endAt <= endMax &&
      event.listedAt >= startMin &&
      event.listedAt <= startMax &&
      (search === '' || event.title.toLowerCase().includes(search)) &&
      query.get('active') !== 'false' &&
      query.get('archived') !== 'true' &&
      settlement.phase(event, now).isClosed === wantsClosed(query),
  );
}

export function eventRank(event: WorldEvent, query: URLSearchParams): number {
  switch (query.get('order')) {
    case 'endDate':
      return event.endAt;
    case 'startDate':
    case 'createdAt':
      return event.listedAt;
    default:
      return event.id;
  }
}

/** In the order that the query asks for. */
export function sorted<T>(rows: readonly Ranked<T>[], query: URLSearchParams): readonly Ranked<T>[] {
  const sign = query.get('ascending') === 'false' ? -1 : 1;
  return [...rows].sort((left, right) => sign * (left.rank - right.rank || left.id - right.id));
}

function limitOf(query: URLSearchParams, most: number): number {
  const limit = wholeNumber(query, 'limit', Math.min(20, most));
  if (limit === undefined) throw new ListFault('limit is invalid');
  return Math.min(limit, most);
}

/** The older paging, by `limit` and `offset`, of rows in their order. */
export function offsetPage<T>(
  rows: readonly Ranked<T>[],
  query: URLSearchParams,
  most: number,
): readonly T[] {
  const offset = wholeNumber(query, 'offset', 0);
  if (offset === undefined) throw new ListFault('offset is invalid');
  return rows.slice(offset, offset + limitOf(query, most)).map((row) => row.item);
}

/** Paging by `after_cursor` of rows in their order. A parameter of any other name, `cursor` too, is ignored. */
export function keysetPage<T>(rows: readonly Ranked<T>[], query: URLSearchParams, most: number): Page<T> {
  if (query.has('offset')) throw new ListFault('offset is not supported, use after_cursor');
  const after = cursorOf(query.get('after_cursor'));
  const sign = query.get('ascending') === 'false' ? -1 : 1;
  const rest = rows.filter(
    (row) => after === undefined || sign * (row.rank - after.rank || row.id - after.id) > 0,
  );
  const page = rest.slice(0, limitOf(query, most));
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  return {
    items: page.map((row) => row.item),
    nextCursor: hasMore ? Buffer.from(`${last.rank}.${last.id}`).toString('base64url') : undefined,
  };
}

function cursorOf(text: string | null): { readonly rank: number; readonly id: number } | undefined {
  if (text === null || text === '') return undefined;
  const match = /^(\d+)\.(\d+)$/.exec(Buffer.from(text, 'base64url').toString());
  if (match === null) throw new ListFault('after_cursor is invalid');
  return { rank: Number(match[1]), id: Number(match[2]) };
}
