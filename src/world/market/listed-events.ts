import { DAY_MS } from '../../../streams/internal.ts';
import type { ManualEvent, Overrides } from '../control/overrides.ts';
import type { Account, WorldAccountId } from '../life/accounts.ts';
import { USUAL_SIZE, type WorldSize } from '../size.ts';
import { tile } from './buckets.ts';
import { createCryptoEvents } from './crypto-events.ts';
import {
  eventIdOf,
  manualPostsEvent,
  marketIdOf,
  postsEvent,
  type WorldEvent,
  type WorldMarket,
  withBuckets,
} from './event.ts';
import { listedAtOf, rangeTexts, type Series, seriesOf, windowIndexAt } from './event-series.ts';

export interface Place {
  readonly event: WorldEvent;
  readonly market: WorldMarket;
  /** 0 for Yes or Up. */
  readonly outcome: 0 | 1;
}

/** Every event the market has listed, overrides applied. */
export interface ListedEvents {
  listed(now: number): readonly WorldEvent[];
  /** Those about the posts of an account, without a search through all. */
  ofAccount(account: WorldAccountId, now: number): readonly WorldEvent[];
  byId(id: number, now: number): WorldEvent | undefined;
  bySlug(slug: string, now: number): WorldEvent | undefined;
  byToken(token: string, now: number): Place | undefined;
}

interface Listing {
  readonly builtAt: number;
  readonly revision: number;
  readonly events: readonly WorldEvent[];
  readonly byAccount: ReadonlyMap<WorldAccountId, readonly WorldEvent[]>;
  readonly byId: ReadonlyMap<number, WorldEvent>;
  readonly bySlug: ReadonlyMap<string, WorldEvent>;
}

/** Buckets of one width from zero on. */
function shapesOf({ bucketWidth, bucketCount }: Pick<ManualEvent, 'bucketWidth' | 'bucketCount'>) {
  return tile(bucketWidth, [[bucketWidth, bucketCount - 2]], 'from-zero');
}

function groupByAccount(events: readonly WorldEvent[]): ReadonlyMap<WorldAccountId, readonly WorldEvent[]> {
  const groups = new Map<WorldAccountId, WorldEvent[]>();
  for (const event of events) {
    if (event.subject.type !== 'posts') continue;
    const { id } = event.subject.account;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [event]);
    else group.push(event);
  }
  return groups;
}

/** The events of a series, made once each. */
function createRow(
  series: Series,
  startAt: number,
  { settledDays, buckets }: WorldSize,
): (now: number) => readonly WorldEvent[] {
  const first = windowIndexAt(series, startAt - settledDays * DAY_MS);
  const events: WorldEvent[] = [];
  return (now) => {
    while (listedAtOf(series, first + events.length) <= now)
      events.push(postsEvent(series, first + events.length, buckets));
    const newest = events.at(-1);
    return newest === undefined || newest.listedAt <= now
      ? events
      : events.filter(({ listedAt }) => listedAt <= now);
  };
}

export function createListedEvents(options: {
  readonly seed: number;
  readonly startAt: number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
  readonly size?: WorldSize;
}): ListedEvents {
  const { seed, startAt, accounts, overrides, size = USUAL_SIZE } = options;
  const crypto = createCryptoEvents(seed, size);
  const rows = accounts
    .flatMap(seriesOf)
    .filter(({ kind }) => size.series.includes(kind))
    .map((series) => createRow(series, startAt, size));
  const byAccount = new Map(accounts.map((account) => [account.id, account]));
  let listing: Listing | undefined;

  function withWindow(event: WorldEvent): WorldEvent {
    const window = overrides.windows.get(event.id);
    if (window === undefined) return event;
    const { subject } = event;
    const description =
      subject.type === 'posts' ? rangeTexts(subject.account, window).description : event.description;
    return { ...event, ...window, description };
  }

  function withOwnBuckets(event: WorldEvent): WorldEvent {
    const buckets = overrides.buckets.get(event.id);
    return buckets === undefined ? event : withBuckets(event, shapesOf(buckets));
  }

  function manualEvents(): readonly WorldEvent[] {
    return overrides.events.flatMap((event) => {
      const account = byAccount.get(event.account);
      return account === undefined ? [] : [manualPostsEvent(event, account, shapesOf(event))];
    });
  }

  function build(now: number): Listing {
    const listed = [...rows.flatMap((row) => row(now)), ...manualEvents(), ...crypto.listed(now)];
    const isChanged = overrides.windows.size > 0 || overrides.buckets.size > 0;
    const events = isChanged ? listed.map((event) => withOwnBuckets(withWindow(event))) : listed;
    return {
      builtAt: now,
      revision: overrides.revision,
      events,
      byAccount: groupByAccount(events),
      byId: new Map(events.map((event) => [event.id, event])),
      bySlug: new Map(events.map((event) => [event.slug, event])),
    };
  }

  function at(now: number): Listing {
    // Series listings fall on any ms, crypto ones on the hour: a rebuild each minute shows both soon enough.
    const isFresh =
      listing !== undefined &&
      listing.revision === overrides.revision &&
      Math.floor(listing.builtAt / 60_000) === Math.floor(now / 60_000);
    if (listing === undefined || !isFresh) listing = build(now);
    return listing;
  }

  return {
    listed: (now) => at(now).events,
    ofAccount: (account, now) => at(now).byAccount.get(account) ?? [],
    byId: (id, now) => at(now).byId.get(id),
    bySlug: (slug, now) => at(now).bySlug.get(slug),
    byToken(token, now) {
      if (!/^\d{1,78}$/.test(token)) return undefined;
      const marketId = marketIdOf(token);
      const event = at(now).byId.get(eventIdOf(marketId));
      const market = event?.markets.find(({ id }) => id === marketId);
      if (event === undefined || market === undefined) return undefined;
      const outcome = market.tokens.indexOf(token);
      return outcome === 0 || outcome === 1 ? { event, market, outcome } : undefined;
    },
  };
}

export function isActive(event: WorldEvent, now: number): boolean {
  return event.startAt <= now && now < event.endAt;
}
