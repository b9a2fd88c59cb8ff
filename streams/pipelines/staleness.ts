import {
  type AccountId,
  type AgeLimits,
  INPUTS,
  type Input,
  LIMITED_INPUTS,
  type LimitedInput,
  type SourceName,
} from '../observation.ts';

/** For logs that were written before these two had limits, in ms. */
const USUAL_MS = { events: 180_000, crypto: 60_000 };
/** One source per account; the others have one for all accounts. */
const PER_ACCOUNT: readonly LimitedInput[] = ['posts', 'oracle', 'ui'];

export type Ages = Readonly<Record<SourceName, number>>;

export function ageLimit(limits: AgeLimits, input: LimitedInput): number {
  return { ...USUAL_MS, ...limits }[input];
}

/** The inputs of an account's records that are past their limit. One that never answered is. */
export function staleInputs(limits: AgeLimits, ages: Ages, account: AccountId): readonly Input[] {
  return INPUTS.filter((input) => isStale(limits, ages, input, sourceOf(input, account)));
}

/** The sources past their limit, in a fixed order. One that never answered is. */
export function staleSources(
  limits: AgeLimits,
  ages: Ages,
  accounts: readonly AccountId[],
): readonly SourceName[] {
  return LIMITED_INPUTS.flatMap((input) => {
    const sources = PER_ACCOUNT.includes(input)
      ? accounts.map((account) => sourceOf(input, account))
      : [input];
    return sources.filter((source) => isStale(limits, ages, input, source));
  });
}

function sourceOf(input: LimitedInput, account: AccountId): SourceName {
  return PER_ACCOUNT.includes(input) ? `${input}:${account}` : input;
}

function isStale(limits: AgeLimits, ages: Ages, input: LimitedInput, source: SourceName): boolean {
  const age = ages[source];
  return age === undefined || age > ageLimit(limits, input);
}
