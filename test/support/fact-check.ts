import type { Fact, Quote } from '../../streams/internal.ts';

/** The first fault of a fact by its type, checked independently of the decoders. */
export function faultOf(fact: Fact): string | null {
  switch (fact.kind) {
    case 'post':
      return firstFault([
        [isDigits(fact.id) && BigInt(fact.id) < 2n ** 63n, 'id'],
        [isInstant(fact.createdAt), 'createdAt'],
        [typeof fact.text === 'string' && isWellFormed(fact.text), 'text'],
        [
          typeof fact.isRepost === 'boolean' &&
            [fact.isReply, fact.isReplyToSelf, fact.isQuote, fact.isFromCommunity].every((flag) =>
              fact.isReply === null ? flag === null : typeof flag === 'boolean',
            ),
          'flags',
        ],
        [fact.isReply || !fact.isReplyToSelf, 'isReplyToSelf'],
        [fact.isReply !== null || fact.importedAt !== undefined, 'importedAt'],
        [fact.importedAt == null || isInstant(fact.importedAt), 'importedAt'],
        [(fact.editIds ?? []).every((id) => isDigits(id)), 'editIds'],
        [fact.url.endsWith(`/status/${fact.id}`), 'url'],
      ]);
    case 'post_gone':
      return firstFault([[isDigits(fact.id), 'id']]);
    case 'coverage':
    case 'history':
      return firstFault([[Number.isSafeInteger(fact.fromAt), 'fromAt']]);
    case 'past_prices':
      return firstFault([
        [isCount(fact.eventId), 'eventId'],
        [isInstant(fact.at), 'at'],
        [fact.prices.every((price) => price === null || (price >= 0 && price <= 1)), 'prices'],
      ]);
    case 'volumes':
      return firstFault([
        [isCount(fact.eventId), 'eventId'],
        [fact.volumes.every((volume) => volume === null || isCount(volume)), 'volumes'],
      ]);
    case 'listing':
      return null;
    case 'tracking':
      return firstFault([
        [/^[\w-]+$/.test(fact.trackingId), 'trackingId'],
        [fact.slug === null || /^[\w.-]+$/.test(fact.slug), 'slug'],
        [isInstant(fact.startAt) && isInstant(fact.endAt) && fact.startAt < fact.endAt, 'window'],
        [isWellFormed(fact.title), 'title'],
      ]);
    case 'oracle':
      return firstFault([
        [isCount(fact.total), 'total'],
        [fact.syncedAt === null || isInstant(fact.syncedAt), 'syncedAt'],
      ]);
    case 'ui':
      return firstFault([
        [isCount(fact.eventId), 'eventId'],
        [fact.count === null || isCount(fact.count), 'count'],
      ]);
    case 'event':
      return firstFault([
        [isCount(fact.eventId), 'eventId'],
        [isInstant(fact.endAt), 'endAt'],
        [fact.startAt === null || isInstant(fact.startAt), 'startAt'],
        [fact.buckets.length > 0, 'buckets'],
        [typeof fact.image === 'string' && typeof fact.isClosed === 'boolean', 'fields'],
        [new Set(fact.buckets.map(({ yesToken }) => yesToken)).size === fact.buckets.length, 'tokens'],
        ...fact.buckets.map((bucket): [boolean, string] => [
          isDigits(bucket.yesToken, 80) &&
            isDigits(bucket.noToken, 80) &&
            bucket.conditionId !== '' &&
            (bucket.lo === null
              ? bucket.hi === null
              : isCount(bucket.lo) && (bucket.hi === null || bucket.hi >= bucket.lo)),
          'bucket',
        ]),
      ]);
    case 'prices':
      return firstFault([
        [isCount(fact.eventId), 'eventId'],
        ...fact.quotes.map((quote): [boolean, string] => [isQuote(quote), 'quote']),
      ]);
    case 'spot':
      return firstFault(
        fact.ticks.map((tick) => [
          Number.isFinite(tick.price) && tick.price > 0 && isInstant(tick.at),
          'tick',
        ]),
      );
    default:
      return `a source must not deliver ${fact.kind}`;
  }
}

function firstFault(checks: readonly (readonly [boolean, string])[]): string | null {
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function isDigits(text: unknown, most = 20): boolean {
  return typeof text === 'string' && text.length <= most && /^\d+$/.test(text);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isInstant(at: number): boolean {
  return Number.isSafeInteger(at) && at > Date.UTC(1999, 0) && at < Date.UTC(2101, 0);
}

function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

function isQuote({ token, bid, ask, last, ui }: Quote): boolean {
  return (
    isDigits(token, 80) && [bid, ask, last, ui].every((price) => price === null || (price >= 0 && price <= 1))
  );
}
