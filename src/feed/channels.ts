import type { Tier } from '../access/tiers.ts';
import type { ChannelName } from '../contract/feed.ts';
import type { AccountPath } from '../views/account-path.ts';

/** What the feed tells of, and how. */
export interface Channel {
  readonly name: ChannelName;
  readonly hasAccounts: boolean;
  /** The least tier that is shown it, as over REST. */
  readonly tier: Tier;
  /** Every frame reaches every reader; of the others a slow one gets the newest per key. */
  readonly isLossless: boolean;
  /** Whether it moves with every price, and is told once a second per key at most. */
  readonly isPaced: boolean;
  /** What of it is stored for a day. The heartbeat passes. */
  readonly keeps: 'every' | 'nothing';
}

const STATE = { hasAccounts: true, tier: 'FREE', isLossless: false, isPaced: false, keeps: 'every' } as const;

export const CHANNELS: readonly Channel[] = [
  { ...STATE, name: 'counters' },
  { ...STATE, name: 'tweets', isLossless: true },
  // A PRO field of the predictions over REST.
  { ...STATE, name: 'velocity', tier: 'PRO' },
  { ...STATE, name: 'prediction', isPaced: true },
  { ...STATE, name: 'signals', tier: 'PRO', isPaced: true },
  { ...STATE, name: 'crypto', hasAccounts: false, isPaced: true },
  { ...STATE, name: 'lag' },
  { ...STATE, name: 'heartbeat', hasAccounts: false, keeps: 'nothing' },
  { ...STATE, name: 'test', hasAccounts: false, isPaced: true },
];

/** A channel of an account, or of none: what is numbered and subscribed to. */
export interface Topic {
  /** `counters/account_a` or `crypto`. */
  readonly name: string;
  readonly channel: Channel;
  readonly account: AccountPath | null;
}

export function topicsOf(accounts: readonly AccountPath[]): readonly Topic[] {
  return CHANNELS.flatMap((channel): readonly Topic[] =>
    channel.hasAccounts
      ? accounts.map((account) => ({ name: `${channel.name}/${account.segment}`, channel, account }))
      : [{ name: channel.name, channel, account: null }],
  );
}
