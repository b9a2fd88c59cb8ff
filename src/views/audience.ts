import { includes, type Tier } from '../access/tiers.ts';

/** For whom a record is rendered. Readers of the same name get the same bytes. */
export interface Audience {
  readonly name: string;
  readonly tier: 'FREE' | 'PRO';
  /** The money that bets are sized for, USD. */
  readonly bankrollUsd: number;
  readonly includesUnproven: boolean;
  /** Whether events with nothing to buy or sell are left out. */
  readonly isOnlyWithSignals: boolean;
}

/** How renderings of a record differ: not at all, by tier, or by how bets are sized. */
export type AudienceKind = 'everyone' | 'tier' | 'bankroll';

type SizingOptions = {
  readonly [Option in 'bankrollUsd' | 'includesUnproven' | 'isOnlyWithSignals']?:
    | Audience[Option]
    | undefined;
};

/** Of a caller who names no bankroll, USD. */
const DEFAULT_BANKROLL_USD = 1_000;

const DEFAULTS = { bankrollUsd: DEFAULT_BANKROLL_USD, includesUnproven: false, isOnlyWithSignals: false };
// One object each: the fan-out groups readers by identity.
const EVERYONE: Audience = { ...DEFAULTS, name: '', tier: 'FREE' };
const FREE: Audience = { ...DEFAULTS, name: 'FREE', tier: 'FREE' };
const PRO: Audience = { ...DEFAULTS, name: 'PRO', tier: 'PRO' };

/** INTERNAL sees the same as PRO. */
export function audienceOf(kind: AudienceKind, tier: Tier, options: SizingOptions = {}): Audience {
  if (kind === 'everyone') return EVERYONE;
  if (kind === 'tier') return includes(tier, 'PRO') ? PRO : FREE;
  const {
    bankrollUsd = DEFAULTS.bankrollUsd,
    includesUnproven = DEFAULTS.includesUnproven,
    isOnlyWithSignals = DEFAULTS.isOnlyWithSignals,
  } = options;
  const name = `${bankrollUsd} ${includesUnproven}${isOnlyWithSignals ? ' only' : ''}`;
  return { name, tier: 'PRO', bankrollUsd, includesUnproven, isOnlyWithSignals };
}

/** All audiences of a record, PRO first; of a sized one the reader without options. */
export function audiencesOf(kind: AudienceKind): readonly Audience[] {
  return kind === 'tier' ? [PRO, FREE] : [audienceOf(kind, 'PRO')];
}
