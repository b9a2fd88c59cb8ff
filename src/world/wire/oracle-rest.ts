import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { newYorkAt } from '../calendar.ts';
import type { Overrides } from '../control/overrides.ts';
import type { Account } from '../life/accounts.ts';
import { textOf } from '../life/post-texts.ts';
import type { WorldEvent } from '../market/event.ts';
import type { Window } from '../market/event-series.ts';
import type { ListedEvents } from '../market/listed-events.ts';
import type { Import, OracleCount } from '../market/oracle-count.ts';
import type { OracleSync } from '../market/oracle-sync.ts';
import { hex, numberedUuid, numberOfUuid } from '../rng.ts';
import { type Answer, type Handler, ok } from './answer.ts';
import { statsOf } from './tracking-stats.ts';

type Json = Record<string, unknown>;

/** Trackings that began longer than this before the world's start are of the older kind. */
const OLDER_AFTER_MS = 45 * DAY_MS;

const iso = (at: number): string => new Date(at).toISOString();
const notFound = (what: string): Answer => ({
  status: 404,
  body: { success: false, error: `${what} not found` },
});
/** The oracle's id of the window of an event. */
export function trackingId(eventId: number): string {
  return numberedUuid(eventId, 'tracking', eventId);
}

const success = (data: unknown): Answer => ok({ success: true, data });

export function createOracleRest(options: {
  readonly now: () => number;
  readonly startAt: number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
  readonly listedEvents: ListedEvents;
  readonly oracleCount: OracleCount;
  readonly sync: OracleSync;
}): Handler {
  const { now, startAt, accounts, overrides, listedEvents, oracleCount, sync } = options;
  const stats = new Map<number, { readonly key: string; readonly json: Json }>();

  /** Windows end a second before the count's end; older ones 59 s after it, and name no market. */
  function trackingOf(event: WorldEvent) {
    const isOlder = event.startAt < startAt - OLDER_AFTER_MS;
    const lastAt = event.endAt + (isOlder ? 59_000 : -1_000);
    const createdDay = Math.floor(event.startAt / DAY_MS) - 3;
    const createdAt = newYorkAt(createdDay, 0) + 6_011;
    const hasBlank = event.series?.recurrence === 'weekly' && event.id % 6 === 1;
    return {
      id: trackingId(event.id),
      title: hasBlank ? ` ${event.title}` : event.title,
      lastAt,
      createdAt: Math.max(createdAt, event.listedAt - DAY_MS),
      isActive: now() < lastAt + 8_000,
      link: isOlder ? null : `https://market.invalid/event/${event.slug}`,
    };
  }

  function trackingJson(event: WorldEvent, account: Account): Json {
    const tracking = trackingOf(event);
    return {
      id: tracking.id,
      userId: account.oracleUserId,
      title: tracking.title,
      startDate: iso(event.startAt),
      endDate: iso(tracking.lastAt),
      target: null,
      marketLink: tracking.link,
      isActive: tracking.isActive,
      metrics: {},
      config: {},
      createdAt: iso(tracking.createdAt),
      updatedAt: iso(tracking.createdAt),
    };
  }

  function userJson(account: Account): Json {
    const syncedAt = sync.lastAt(account.id, now());
    return {
      id: account.oracleUserId,
      handle: account.handle,
      name: account.name,
      platform: 'X',
      platformId: account.userId,
      avatarUrl: `https://images.invalid/${account.slugPrefix}.png`,
      bio: '',
      verified: false,
      lastSync: iso(syncedAt),
      lastSyncError: null,
      createdAt: iso(startAt - 150 * DAY_MS),
      updatedAt: iso(syncedAt + 1),
    };
  }

  function eventsOf(
    account: Account | undefined,
  ): readonly { readonly event: WorldEvent; readonly account: Account }[] {
    const events =
      account === undefined ? listedEvents.listed(now()) : listedEvents.ofAccount(account.id, now());
    return events.flatMap((event) =>
      event.subject.type === 'posts' ? [{ event, account: event.subject.account }] : [],
    );
  }

  function trackings(account: Account | undefined, query: URLSearchParams): readonly Json[] {
    const rows = eventsOf(account).map((row) => ({
      ...trackingJson(row.event, row.account),
      ...(account === undefined && { user: userJson(row.account) }),
    }));
    return query.get('activeOnly') === 'true' ? rows.filter((row: Json) => row.isActive === true) : rows;
  }

  /** Nothing of it changes between two readings of the account, within an hour of the window and unless by hand. */
  function statsJson(event: WorldEvent, account: Account): Json {
    const hour = Math.floor((now() - event.startAt) / HOUR_MS);
    const key = `${sync.lastAt(account.id, now())} ${hour} ${overrides.revision}`;
    const known = stats.get(event.id);
    if (known?.key === key && now() < event.endAt) return known.json;
    const json = countedStats(event, account);
    if (now() < event.endAt) stats.set(event.id, { key, json });
    else stats.delete(event.id);
    return json;
  }

  function countedStats(event: WorldEvent, account: Account): Json {
    const at = now();
    const totals = statsOf(
      { startAt: event.startAt, lastAt: trackingOf(event).lastAt },
      oracleCount.total(event, at),
      at,
    );
    const hours = oracleCount.hourly(account.id, event, at);
    // The rows always add up to the total: the surplus of a total set by hand is put in the newest hour.
    const surplus = totals.total - hours.reduce((sum, hour) => sum + hour.count, 0);
    let cumulative = 0;
    const daily = hours.map((hour, index) => {
      const count = hour.count + (index === hours.length - 1 ? surplus : 0);
      cumulative += count;
      return { date: iso(hour.hourAt), count, cumulative };
    });
    return { ...totals, daily };
  }

  function postJson(account: Account, { post, importedAt }: Import): Json {
    const whole = Math.floor(post.createdAt / 1000) * 1000;
    return {
      id: `c${BigInt(`0x${hex(32, 'row', post.id)}`)
        .toString(36)
        .padStart(24, '0')
        .slice(0, 24)}`,
      userId: account.oracleUserId,
      platformId: post.id,
      content: post.text ?? textOf(post.kind, post.id, post.createdAt),
      createdAt: iso(whole),
      importedAt: iso(importedAt),
      metrics: null,
    };
  }

  function posts(account: Account, query: URLSearchParams): Answer {
    const window: Window = {
      startAt: Date.parse(query.get('startDate') ?? '') || 0,
      endAt: (Date.parse(query.get('endDate') ?? '') || now()) + 1,
    };
    const rows = oracleCount.imports(account.id, window, now()).map((row) => postJson(account, row));
    return success(rows.reverse());
  }

  function user(account: Account, rest: string | undefined, query: URLSearchParams): Answer {
    if (rest === 'posts') return posts(account, query);
    if (rest === 'trackings') return success(trackings(account, query));
    if (rest !== undefined) return notFound('Route');
    return success({
      ...userJson(account),
      trackings: trackings(account, new URLSearchParams()),
      ...counts(account),
    });
  }

  function counts(account: Account): Json {
    return { _count: { posts: oracleCount.countOf(account.id, { startAt: 0, endAt: now() + 1 }, now()) } };
  }

  function tracking(id: string, query: URLSearchParams): Answer {
    const event = listedEvents.byId(numberOfUuid(id), now());
    if (event?.subject.type !== 'posts' || trackingOf(event).id !== id) return notFound('Tracking');
    const { account } = event.subject;
    const counted = query.get('includeStats') === 'true' ? { stats: statsJson(event, account) } : {};
    return success({ ...trackingJson(event, account), user: userJson(account), ...counted });
  }

  return ({ path, query }) => {
    const [collection, id, rest] = path;
    if (collection === 'trackings')
      return id === undefined ? success(trackings(undefined, query)) : tracking(id, query);
    if (collection !== 'users') return notFound('Route');
    if (id === undefined) {
      const active = new URLSearchParams({ activeOnly: 'true' });
      return success(
        accounts.map((account) => ({
          ...userJson(account),
          trackings: trackings(account, active),
          ...counts(account),
        })),
      );
    }
    const account = accounts.find((candidate) => candidate.handle === id);
    return account === undefined ? notFound('User') : user(account, rest, query);
  };
}
