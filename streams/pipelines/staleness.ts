import {
  type AccountId,
  type AgeLimits,
  INPUTS,
  type Input,
  LIMITED_INPUTS,
  type LimitedInput,
  type SourceName,
  type TickFact,
} from '../observation.ts';
import type { EventRecord } from '../records.ts';

/** For logs that were written before these two had limits, in ms. */
const USUAL_MS = { events: 180_000, crypto: 60_000 };
/** One source per account; the others have one for all accounts. */
const PER_ACCOUNT: readonly LimitedInput[] = ['posts', 'oracle', 'ui'];

/** How old everything is at a tick. */
export type TickAges = Pick<TickFact, 'ages' | 'lagging'>;

export function ageLimit(limits: AgeLimits, input: LimitedInput): number {
  return input === 'events' || input === 'crypto' ? (limits[input] ?? USUAL_MS[input]) : limits[input];
}

/** The age of one value of a source, or of all that are not behind; undefined when the source never answered. */
export function ageOf({ ages, lagging }: TickAges, source: SourceName, value?: string | null) {
  return (value == null ? undefined : lagging?.[source]?.[value]) ?? ages[source];
}

/** The age of each source's oldest value. */
export function oldestAges({ ages, lagging }: TickAges): TickFact['ages'] {
  if (lagging === undefined) return ages;
  return Object.fromEntries(
    Object.entries(ages).map(([source, age]) => [
      source,
      Math.max(age, ...Object.values(lagging[source] ?? {})),
    ]),
  );
}

/** The inputs of an account's records that are past their limit. One that never answered is. */
export function staleInputs(
  limits: AgeLimits,
  { ages }: Pick<TickAges, 'ages'>,
  account: AccountId,
): readonly Input[] {
  return INPUTS.filter((input) => isStale(limits, ages, input, sourceOf(input, account)));
}

/** The name of an event's own value of an input; null when it has none, as for posts, which are the account's. */
export function ownValueOf(
  input: LimitedInput,
  { eventId, trackingId, subject }: Pick<EventRecord, 'eventId' | 'trackingId' | 'subject'>,
): string | null {
  switch (input) {
    case 'posts':
      return null;
    case 'oracle':
      return trackingId;
    case 'ui':
    case 'prices':
      return String(eventId);
    case 'events':
      return subject.type;
    case 'crypto':
      return subject.type === 'crypto' ? subject.symbol : null;
  }
}

/** The limits of an account, or of sources that have none. */
type LimitsOf = (account: AccountId | undefined) => AgeLimits;

/** `source/value` of every value that is past its limit while its source answers, in a fixed order. */
export function staleValues(limitsOf: LimitsOf, { lagging = {} }: TickAges): readonly string[] {
  return Object.entries(lagging).flatMap(([source, values]) => {
    const [role, account] = source.split(':');
    const input = LIMITED_INPUTS.find((each) => each === role);
    if (input === undefined) return [];
    const limitMs = ageLimit(limitsOf(account), input);
    return Object.entries(values).flatMap(([value, age]) => (age > limitMs ? [`${source}/${value}`] : []));
  });
}

/** The sources past their limit, or with a value that is, in a fixed order. One that never answered is. */
export function staleSources(
  limitsOf: LimitsOf,
  tick: TickAges,
  accounts: readonly AccountId[],
): readonly SourceName[] {
  const ages = oldestAges(tick);
  return LIMITED_INPUTS.flatMap((input) => {
    if (!PER_ACCOUNT.includes(input)) return isStale(limitsOf(undefined), ages, input, input) ? [input] : [];
    return accounts.flatMap((account) => {
      const source = sourceOf(input, account);
      return isStale(limitsOf(account), ages, input, source) ? [source] : [];
    });
  });
}

export function sourceOf(input: LimitedInput, account: AccountId): SourceName {
  return PER_ACCOUNT.includes(input) ? `${input}:${account}` : input;
}

function isStale(limits: AgeLimits, ages: TickFact['ages'], input: LimitedInput, source: SourceName) {
  const age = ages[source];
  return age === undefined || age > ageLimit(limits, input);
}
