import { includes, type Tier } from '../access/tiers.ts';
import type { ChannelName } from '../contract/feed/names.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { AudienceKind } from '../views/audience.ts';
import type { RecordView } from '../views/record-view.ts';
import { countersView } from '../views/records/counters.ts';
import { cryptoView } from '../views/records/crypto.ts';
import { lagView } from '../views/records/lag.ts';
import { type PostsView, postsView } from '../views/records/posts.ts';
import { predictionView } from '../views/records/prediction.ts';
import { signalsView } from '../views/records/signals.ts';
import { testView } from '../views/records/test.ts';
import { velocityView } from '../views/records/velocity.ts';

interface Channel {
  readonly name: ChannelName;
  /** The lowest tier that may subscribe, as over REST. */
  readonly tier: Tier;
  /** Whether a slow reader gets every frame; on other channels it gets the newest of each key. */
  readonly isLossless: boolean;
  /** Whether each key is published at most once a second, as it changes with every price. */
  readonly isPaced: boolean;
  /** Whether its frames are numbered, and stored for a day to be replayed. */
  readonly isStored: boolean;
}

/**
 * A channel of one account, or of no account, as some readers see it. Readers subscribe to topics, and each topic numbers
 * its own frames. Where tiers see different records, each has a topic, so that no number tells of a change that it
 * cannot see.
 */
export interface Topic {
  /** `counters/account_a` or `crypto`, also for a topic of one tier. */
  readonly name: string;
  /** Under which its frames are stored. */
  readonly storedAs: string;
  readonly readers: 'everyone' | 'FREE' | 'PRO';
  /** The number before that of its first frame. */
  readonly firstCursor: number;
  readonly channel: Channel;
  readonly account: AccountPath | null;
  readonly audiences: AudienceKind;
  readonly records: TopicRecords;
}

/** The records of a topic. Only the newest version of a state matters, but every post does. A heartbeat has no records. */
type TopicRecords =
  | { readonly type: 'states'; readonly view: RecordView }
  | { readonly type: 'posts'; readonly view: PostsView }
  | { readonly type: 'none' };

const STATE = { tier: 'FREE', isLossless: false, isPaced: false, isStored: true } as const;

const COUNTERS: Channel = { ...STATE, name: 'counters' };
const TWEETS: Channel = { ...STATE, name: 'tweets', isLossless: true };
// In the predictions over REST it is a PRO field.
const VELOCITY: Channel = { ...STATE, name: 'velocity', tier: 'PRO' };
const PREDICTION: Channel = { ...STATE, name: 'prediction', isPaced: true };
const SIGNALS: Channel = { ...STATE, name: 'signals', tier: 'PRO', isPaced: true };
const CRYPTO: Channel = { ...STATE, name: 'crypto', isPaced: true };
const LAG: Channel = { ...STATE, name: 'lag' };
const HEARTBEAT: Channel = { ...STATE, name: 'heartbeat', isStored: false };
const TEST: Channel = { ...STATE, name: 'test', isPaced: true };

/**
 * The numbers of FREE topics start here, far from those of PRO: a reader whose tier has changed is never taken to be at
 * another place than it is, but sent a snapshot.
 */
const FREE_CURSOR = 1_000_000_000_000;

/** Every topic, in the order in which the frames of one turn are numbered. */
export function topicsOf(accounts: readonly AccountPath[]): readonly Topic[] {
  const each = (channel: Channel, recordsOf: (account: AccountPath) => TopicRecords) =>
    accounts.flatMap((account) => topics(channel, account, recordsOf(account)));
  const states = (channel: Channel, viewOf: (account: AccountPath) => RecordView) =>
    each(channel, (account) => ({ type: 'states', view: viewOf(account) }));
  return [
    ...states(COUNTERS, countersView),
    ...each(TWEETS, (account) => ({ type: 'posts', view: postsView(account) })),
    ...states(VELOCITY, velocityView),
    ...states(PREDICTION, predictionView),
    ...states(SIGNALS, signalsView),
    ...topics(CRYPTO, null, { type: 'states', view: cryptoView() }),
    ...states(LAG, lagView),
    ...topics(HEARTBEAT, null, { type: 'none' }),
    ...topics(TEST, null, { type: 'states', view: testView() }),
    ...each(HEARTBEAT, () => ({ type: 'none' })),
  ];
}

/** The tier for whose readers the records of a topic are made. */
export function tierOf({ readers }: Topic): 'FREE' | 'PRO' {
  return readers === 'FREE' ? 'FREE' : 'PRO';
}

/** Whether readers of a tier are sent this topic of a channel. */
export function isFor({ readers }: Topic, tier: Tier): boolean {
  return readers === 'everyone' || (readers === 'PRO') === includes(tier, 'PRO');
}

/** The topic of everyone, or one of each tier. */
function topics(channel: Channel, account: AccountPath | null, records: TopicRecords): readonly Topic[] {
  const name = account === null ? channel.name : `${channel.name}/${account.segment}`;
  // A heartbeat names the channels that a tier may see.
  const audiences = records.type === 'none' ? 'tier' : records.view.audiences;
  const shared = { name, channel, account, audiences, records };
  const first = { ...shared, storedAs: name, firstCursor: 0 } as const;
  if (audiences !== 'tier') return [{ ...first, readers: 'everyone' }];
  return [
    { ...first, readers: 'PRO' },
    { ...shared, storedAs: `${name} FREE`, firstCursor: FREE_CURSOR, readers: 'FREE' },
  ];
}
