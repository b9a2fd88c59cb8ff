import type { Tier } from '../access/tiers.ts';
import type { ChannelName } from '../contract/feed.ts';
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

/** How a kind of record is published. */
interface Channel {
  readonly name: ChannelName;
  /** The lowest tier that sees it, as over REST. */
  readonly tier: Tier;
  /** Every frame reaches every reader; of the others a slow reader gets the newest per key. */
  readonly isLossless: boolean;
  /** Whether it moves with every price, and is published once a second per key at most. */
  readonly isPaced: boolean;
  /** Whether its frames are stored for a day, to be replayed. The heartbeat's are not. */
  readonly isStored: boolean;
}

/** A channel of an account, or of none: what is numbered and subscribed to. */
export interface Topic {
  /** `counters/account_a` or `crypto`. */
  readonly name: string;
  readonly channel: Channel;
  readonly account: AccountPath | null;
  readonly audiences: AudienceKind;
  readonly records: TopicRecords;
}

/** The records a topic is about: of states the newest counts, of posts each one; a heartbeat has none. */
type TopicRecords =
  | { readonly type: 'states'; readonly view: RecordView }
  | { readonly type: 'posts'; readonly view: PostsView }
  | { readonly type: 'none' };

const STATE = { tier: 'FREE', isLossless: false, isPaced: false, isStored: true } as const;

const COUNTERS: Channel = { ...STATE, name: 'counters' };
const TWEETS: Channel = { ...STATE, name: 'tweets', isLossless: true };
// A PRO field of the predictions over REST.
const VELOCITY: Channel = { ...STATE, name: 'velocity', tier: 'PRO' };
const PREDICTION: Channel = { ...STATE, name: 'prediction', isPaced: true };
const SIGNALS: Channel = { ...STATE, name: 'signals', tier: 'PRO', isPaced: true };
const CRYPTO: Channel = { ...STATE, name: 'crypto', isPaced: true };
const LAG: Channel = { ...STATE, name: 'lag' };
const HEARTBEAT: Channel = { ...STATE, name: 'heartbeat', isStored: false };
const TEST: Channel = { ...STATE, name: 'test', isPaced: true };

/** Every topic, in the order in which frames of one turn are numbered. */
export function topicsOf(accounts: readonly AccountPath[]): readonly Topic[] {
  const each = (channel: Channel, recordsOf: (account: AccountPath) => TopicRecords) =>
    accounts.map((account) => topic(channel, account, recordsOf(account)));
  const states = (channel: Channel, viewOf: (account: AccountPath) => RecordView) =>
    each(channel, (account) => ({ type: 'states', view: viewOf(account) }));
  return [
    ...states(COUNTERS, countersView),
    ...each(TWEETS, (account) => ({ type: 'posts', view: postsView(account) })),
    ...states(VELOCITY, velocityView),
    ...states(PREDICTION, predictionView),
    ...states(SIGNALS, signalsView),
    topic(CRYPTO, null, { type: 'states', view: cryptoView() }),
    ...states(LAG, lagView),
    topic(HEARTBEAT, null, { type: 'none' }),
    topic(TEST, null, { type: 'states', view: testView() }),
  ];
}

function topic(channel: Channel, account: AccountPath | null, records: TopicRecords): Topic {
  const name = account === null ? channel.name : `${channel.name}/${account.segment}`;
  const audiences = records.type === 'none' ? 'everyone' : records.view.audiences;
  return { name, channel, account, audiences, records };
}
