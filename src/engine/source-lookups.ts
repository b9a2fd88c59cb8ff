import {
  type AccountId,
  type EventRecord,
  type GraphState,
  type Output,
  postFault,
  timelineFrom,
} from '../../streams/internal.ts';
import type { SourceLookups } from '../sources/source.ts';
import type { Latest } from '../views/latest.ts';

interface LookupsDeps {
  readonly latest: Latest;
  readonly state: Pick<GraphState, 'counters'>;
  /** Those that are followed. The log may know others, which were removed. */
  readonly accounts: readonly AccountId[];
  /** UTC ms. */
  readonly now: () => number;
}

/**
 * Answers the lookups of the sources from the latest values and from what the counters know of the past. A log of an
 * earlier version may hold posts that could not be as they say; no polling starts from them.
 */
export function sourceLookupsFrom({
  latest,
  state: { counters },
  accounts,
  now,
}: LookupsDeps): SourceLookups {
  const unsettled = watchUnsettled(latest, accounts);
  const listed = countListed(latest);
  return {
    // Ids grow with time and an edit keeps its first id, so the newest post has the newest id.
    newestOnTimeline(account, beforeMs = Number.POSITIVE_INFINITY) {
      for (const { record } of latest.posts(account)) {
        const { id, via, createdAt } = record;
        if (via === 'timeline' && createdAt < beforeMs && postFault(record, now()) === null) return id;
      }
      return undefined;
    },
    livePosts(account, sinceMs) {
      const live = [];
      for (const { record } of latest.posts(account)) {
        if (record.createdAt < sinceMs) break;
        if (record.deletedAt === null && postFault(record, now()) === null) live.push(record);
      }
      return live;
    },
    post: (id) => latest.get('posts', id)?.record,
    coveredFrom: (account) => counters.get(account)?.coveredFrom ?? undefined,
    timelineFrom: (account) => timelineFrom(counters.get(account)),
    events: () => Array.from(latest.all('events'), ({ record }) => record),
    event: (eventId) => latest.get('events', String(eventId))?.record,
    unsettledEvents: (account) => unsettled.of(account),
    hasPrice: (token) => latest.get('prices', token) !== undefined,
    hasBook(token) {
      const price = latest.get('prices', token)?.record;
      return price !== undefined && (price.bidSize !== null || price.askSize !== null);
    },
    hasTotal: (account, trackingId) => counters.get(account)?.totals.has(trackingId) ?? false,
    hasUiCount: (eventId) => (latest.get('counters', String(eventId))?.record.ui ?? null) !== null,
    realCount: (eventId) => latest.get('counters', String(eventId))?.record.real ?? null,
    oracleCount(eventId) {
      const event = latest.get('events', String(eventId))?.record;
      const total = latest.get('counters', String(eventId))?.record.oracle ?? null;
      if (event?.subject.type !== 'posts' || event.startAt === null || total === null) return undefined;
      return { total, known: listed.within(event.subject.account, event.startAt, event.endAt) };
    },
  };
}

/**
 * The events that are not closed, by account, kept up to date: each account looks at its own each second, and most events
 * that are known are closed.
 */
function watchUnsettled(latest: Latest, accounts: readonly AccountId[]) {
  /** Those of prices are under null. */
  const byAccount = new Map<AccountId | null, Map<string, EventRecord>>();
  const accountOf = new Map<string, AccountId | null>();

  function forget(key: string, account: AccountId | null) {
    byAccount.get(account)?.delete(key);
    accountOf.delete(key);
  }

  function note(output: Output) {
    if (output.stream !== 'events') return;
    const { key, record } = output;
    const account = record.subject.type === 'posts' ? record.subject.account : null;
    const before = accountOf.get(key);
    // The list of accounts may have changed since it was logged, and with it whose the event is.
    if (before !== undefined && (record.phase === 'closed' || before !== account)) forget(key, before);
    if (record.phase === 'closed') return;
    const events = byAccount.get(account) ?? new Map<string, EventRecord>();
    byAccount.set(account, events.set(key, record));
    accountOf.set(key, account);
  }

  for (const output of latest.all('events')) note(output);
  latest.change$.subscribe((outputs) => {
    for (const output of outputs) note(output);
  });
  return {
    of(account?: AccountId): readonly EventRecord[] {
      const chosen = account === undefined ? [...accounts, null] : [account];
      return chosen.flatMap((each) => [...(byAccount.get(each)?.values() ?? [])]);
    },
  };
}

/**
 * How many posts of a window the oracle has. Each account asks for all its open windows several times a minute, and most
 * posts of a window are in the store alone, so what was counted is kept until a post of the account changes.
 */
function countListed(latest: Latest) {
  const counted = new Map<AccountId, Map<string, number>>();

  function count(account: AccountId, startAt: number, endAt: number): number {
    let found = 0;
    for (const { createdAt, isInOracle } of latest.posts(account).entries()) {
      if (createdAt < startAt) break;
      if (createdAt < endAt && isInOracle) found += 1;
    }
    return found;
  }

  latest.change$.subscribe((outputs) => {
    for (const { stream, record } of outputs) if (stream === 'posts') counted.delete(record.account);
  });
  return {
    within(account: AccountId, startAt: number, endAt: number): number {
      const windows = counted.get(account) ?? new Map<string, number>();
      const window = `${startAt} ${endAt}`;
      const found = windows.get(window) ?? count(account, startAt, endAt);
      counted.set(account, windows.set(window, found));
      return found;
    },
  };
}
