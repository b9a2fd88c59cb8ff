import type { CountingRule, EventFact, Observation, TrackingFact } from '../../../streams/internal.ts';

export interface Seen {
  readonly createdAt: number;
  readonly isCounted: boolean;
  /** Whether more is known than that the oracle lists it. */
  readonly hasKind: boolean;
  readonly isGone: boolean;
}

export interface Recount {
  readonly real: number | null;
  readonly oracle: number | null;
  readonly ui: number | null;
  readonly deleted: number | null;
}

/** Every post of each account as it was last seen. */
export function seenPosts(log: readonly Observation[]): Map<string, Map<string, Seen>> {
  const rules = new Map<string, CountingRule>();
  const posts = new Map<string, Map<string, Seen>>();
  for (const { fact } of log) {
    if (fact.kind === 'settings') for (const { id, rule } of fact.accounts) rules.set(id, rule);
    if (fact.kind !== 'post' && fact.kind !== 'post_gone') continue;
    const ofAccount = posts.get(fact.account) ?? new Map<string, Seen>();
    posts.set(fact.account, ofAccount);
    const seen = ofAccount.get(fact.id);
    if (fact.kind === 'post_gone') {
      if (seen) ofAccount.set(fact.id, { ...seen, isGone: true });
      continue;
    }
    const isListed = fact.via === 'list' || fact.via === 'archive';
    const hasKind = fact.isReply !== null && (fact.via !== 'archive' || fact.importedAt !== undefined);
    if (seen && isListed && (seen.hasKind || !hasKind)) continue;
    const rule = rules.get(fact.account);
    const reply = fact.isReplyToSelf ? rule?.selfReplies : rule?.otherReplies;
    const repost = fact.isFromCommunity ? rule?.communityReposts : rule?.reposts;
    const own = fact.isQuote ? rule?.quotes : rule?.originals;
    const byRule = fact.isReply ? reply : fact.isRepost ? repost : own;
    const isCounted = !hasKind || byRule === true;
    ofAccount.set(fact.id, { createdAt: fact.createdAt, isCounted, hasKind, isGone: seen?.isGone ?? false });
  }
  return posts;
}

/**
 * Every event's counters taken anew from the raw facts, the slow and obvious way. Trackings are matched by
 * slug, else by title, which is all that the random logs use.
 */
export function recount(log: readonly Observation[]): Map<number, Recount> {
  const posts = seenPosts(log);
  const coveredFrom = new Map<string, number>();
  const totals = new Map<string, number>();
  const uis = new Map<number, number | null>();
  const events = new Map<number, EventFact>();
  const trackings = new Map<string, TrackingFact>();
  for (const { fact } of log) {
    if (fact.kind === 'coverage') coveredFrom.set(fact.account, fact.fromAt);
    if (fact.kind === 'oracle') totals.set(fact.trackingId, fact.total);
    if (fact.kind === 'ui' && events.has(fact.eventId)) uis.set(fact.eventId, fact.count);
    if (fact.kind === 'event') events.set(fact.eventId, fact);
    if (fact.kind === 'tracking') trackings.set(fact.trackingId, fact);
  }

  const counters = new Map<number, Recount>();
  for (const { eventId, subject, slug, title, startAt: listedAt, endAt } of events.values()) {
    if (subject.type !== 'posts') continue;
    const candidates = [...trackings.values()].filter(({ account }) => account === subject.account);
    const tracking =
      candidates.find((one) => one.slug === slug) ??
      candidates.find((one) => one.slug === null && one.title === title);
    const startAt = tracking?.startAt ?? listedAt;
    const from = coveredFrom.get(subject.account);
    const isCovered = startAt !== null && from !== undefined && from <= startAt;
    const inside = [...(posts.get(subject.account)?.values() ?? [])].filter(
      ({ isCounted, createdAt }) =>
        isCounted && startAt !== null && createdAt >= startAt && createdAt < endAt,
    );
    counters.set(eventId, {
      real: isCovered ? inside.length : null,
      oracle: tracking ? (totals.get(tracking.trackingId) ?? null) : null,
      ui: uis.get(eventId) ?? null,
      deleted: isCovered ? inside.filter(({ isGone }) => isGone).length : null,
    });
  }
  return counters;
}
