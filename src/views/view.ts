import { includes, type Tier } from '../access/tiers.ts';
import type { Topic } from '../feed/channels.ts';
import { DEFAULT_BANKROLL_USD } from '../server/routes/signals.ts';

/** In whose eyes a record is written. Readers with the same name of a view get the same bytes. */
export interface View {
  readonly name: string;
  readonly tier: 'FREE' | 'PRO';
  readonly bankrollUsd: number;
  readonly includesUnproven: boolean;
}

export interface Wishes {
  readonly bankrollUsd?: number | undefined;
  readonly includesUnproven?: boolean | undefined;
}

const NO_WISHES = { bankrollUsd: DEFAULT_BANKROLL_USD, includesUnproven: false };
// Made once: whoever has the same has the very same, which the fan-out sees at a glance.
const FOR_ALL: View = { ...NO_WISHES, name: '', tier: 'FREE' };
const FREE: View = { ...NO_WISHES, name: 'FREE', tier: 'FREE' };
const PRO: View = { ...NO_WISHES, name: 'PRO', tier: 'PRO' };

/** INTERNAL sees what PRO does. Where all see the same there is one view. */
export function viewOf({ channel }: Topic, tier: Tier, wishes: Wishes = {}): View {
  switch (channel.name) {
    case 'tweets':
    case 'prediction':
      return includes(tier, 'PRO') ? PRO : FREE;
    case 'signals': {
      const { bankrollUsd = DEFAULT_BANKROLL_USD, includesUnproven = false } = wishes;
      return { name: `${bankrollUsd} ${includesUnproven}`, tier: 'PRO', bankrollUsd, includesUnproven };
    }
    default:
      return FOR_ALL;
  }
}

/** All views of a topic, PRO first; of signals the one of a caller without wishes. */
export function viewsOf(topic: Topic): readonly View[] {
  const paid = viewOf(topic, 'PRO');
  const free = viewOf(topic, 'FREE');
  return paid.name === free.name ? [paid] : [paid, free];
}
