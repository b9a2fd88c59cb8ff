import { USUAL_BETTOR } from '../../streams/internal.ts';
import { includes, type Tier } from '../access/tiers.ts';

/** The readers that a record is rendered for. Audiences of the same name get the same bytes. */
export interface Audience {
  readonly name: string;
  readonly tier: 'FREE' | 'PRO';
  /** Bets are sized for this much money, USD. */
  readonly bankrollUsd: number;
  readonly includesUnproven: boolean;
  /** Whether events with nothing to buy or sell are left out. */
  readonly isOnlyWithSignals: boolean;
}

/** Whether a record is the same for everyone, or differs by tier, or by bankroll and its options. */
export type AudienceKind = 'everyone' | 'tier' | 'bankroll';

type SizingOptions = {
  readonly [Option in 'bankrollUsd' | 'includesUnproven' | 'isOnlyWithSignals']?:
    | Audience[Option]
    | undefined;
};

const DEFAULTS = {
  bankrollUsd: USUAL_BETTOR.bankrollUsd,
  includesUnproven: USUAL_BETTOR.includesUnproven,
  isOnlyWithSignals: false,
};
// One object each, as the fan-out compares audiences by identity.
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
