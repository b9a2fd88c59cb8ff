import { includes, type Tier } from '../access/tiers.ts';
import { DEFAULT_BANKROLL_USD } from '../server/routes/signals.ts';
import type { Topic } from './channels.ts';

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

/** INTERNAL sees what PRO does. Where all see the same there is one view. */
export function viewOf({ channel }: Topic, tier: Tier, wishes: Wishes = {}): View {
  const paid = includes(tier, 'PRO') ? 'PRO' : 'FREE';
  const { bankrollUsd = DEFAULT_BANKROLL_USD, includesUnproven = false } = wishes;
  const plain = { tier: paid, bankrollUsd, includesUnproven } as const;
  switch (channel.name) {
    case 'tweets':
    case 'prediction':
      return { ...plain, name: paid };
    case 'signals':
      return { ...plain, name: `${bankrollUsd} ${includesUnproven}` };
    default:
      return { ...plain, name: '' };
  }
}

/** All views of a topic, PRO first; of signals the one of a caller without wishes. */
export function viewsOf(topic: Topic): readonly View[] {
  const paid = viewOf(topic, 'PRO');
  const free = viewOf(topic, 'FREE');
  return paid.name === free.name ? [paid] : [paid, free];
}
