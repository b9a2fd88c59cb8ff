import type { Counters } from './records.ts';
import { hasWords } from './search.ts';

/** An event in the overview. What is not known is null. */
export interface OverviewRow {
  readonly account: string;
  readonly eventId: number;
  readonly title: string;
  readonly count: number | null;
  /** How many posts our count is ahead of the one that traders see. */
  readonly lead: number | null;
  /** The largest edge of a bucket, to either side, with its name. */
  readonly edge: number | null;
  readonly bucket: string | null;
  readonly endAt: number;
  /** Whether an input of its numbers is out of date. */
  readonly isStale: boolean;
}

export const ORDERS = ['time left', 'edge', 'lead'] as const;
export type Order = (typeof ORDERS)[number];

type CountedEvent = Pick<
  Counters,
  'event_id' | 'event_title' | 'real_counter' | 'display_delta' | 'end_ts' | 'stale'
>;

interface PricedEvent {
  readonly event_id: number;
  readonly markets: readonly { readonly title: string; readonly edge?: number | null | undefined }[];
}

/** What is known of an account; undefined before the first frame. */
interface AccountEvents {
  readonly counters: readonly CountedEvent[] | undefined;
  readonly predictions: readonly PricedEvent[] | undefined;
}

/** The events of all accounts that are followed. */
export function overviewRows({
  accounts,
}: {
  readonly accounts: ReadonlyMap<string, AccountEvents>;
}): readonly OverviewRow[] {
  return [...accounts].flatMap(([account, { counters = [], predictions = [] }]) =>
    counters.map((event) => {
      const markets = predictions.find(({ event_id }) => event_id === event.event_id)?.markets ?? [];
      const [best] = markets
        .flatMap(({ title, edge }) => (edge == null ? [] : [{ title, edge }]))
        .toSorted((a, b) => Math.abs(b.edge) - Math.abs(a.edge));
      return {
        account,
        eventId: event.event_id,
        title: event.event_title,
        count: event.real_counter,
        lead: event.display_delta,
        edge: best?.edge ?? null,
        bucket: best?.title ?? null,
        endAt: event.end_ts,
        isStale: event.stale.length > 0,
      };
    }),
  );
}

/** Rows with every word of the text, the first by the order; unknown figures come last. */
export function arranged(
  rows: readonly OverviewRow[],
  order: Order,
  text: string,
  nameOf: (account: string) => string,
): readonly OverviewRow[] {
  const rank = ({ edge, lead, endAt }: OverviewRow): number => {
    if (order === 'time left') return endAt;
    const value = order === 'edge' ? edge : lead;
    return value === null ? Number.POSITIVE_INFINITY : -Math.abs(value);
  };
  return rows
    .filter(({ account, title }) => hasWords(`${nameOf(account)} ${title}`, text))
    .toSorted((a, b) => rank(a) - rank(b) || a.endAt - b.endAt);
}

/** The event after or before the one that is shown, around the ends. */
export function neighbour(
  rows: readonly OverviewRow[],
  eventId: number | undefined,
  step: 1 | -1,
): OverviewRow | undefined {
  const place = rows.findIndex((row) => row.eventId === eventId);
  return rows.at((Math.max(0, place) + step) % Math.max(1, rows.length));
}
