import type * as z from 'zod';
import { includes, type Tier } from '../../access/tiers.ts';
import type { channelRequest } from '../../contract/feed/client-message.ts';
import { firstNames } from '../../contract/first-names.ts';
import { ServiceError } from '../../errors.ts';
import { type Audience, audienceOf } from '../../views/audience.ts';
import { isFor, type Topic } from '../channels.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import type { TopicState } from '../log/numbering.ts';
import type { FanOut } from './fan-out.ts';
import type { Places } from './places.ts';
import type { Place, Reader, Subscription } from './reader.ts';

export type ChannelRequest = z.output<typeof channelRequest>;
export type Cursor = NonNullable<ChannelRequest['resume']>;

/** A reader's request that is refused. Its code goes on the wire. */
export class FeedError extends ServiceError {
  /** The topics for which the tier is too low. */
  readonly topics: readonly Topic[];

  constructor(code: string, message: string, topics: readonly Topic[] = []) {
    super(code, message);
    this.topics = topics;
  }
}

interface TopicRequest {
  readonly topic: Topic;
  readonly audience: Audience;
  readonly resume: Cursor | undefined;
}

/** The answer to a request. `catchUp` sends the first frames. */
export interface Subscribed {
  readonly topic: Topic;
  /** Null for a topic without numbers. */
  readonly seq: number | null;
  readonly isResumed: boolean;
  /** The oldest usable cursor, when the cursor sent was too old. */
  readonly oldestSeq: number | undefined;
}

export interface Subscriptions {
  /** The requested topics. Throws a FeedError. */
  find(requests: readonly ChannelRequest[], tier: Tier, resume?: Cursor): readonly TopicRequest[];
  subscribe(reader: Reader, request: TopicRequest): Subscribed;
  unsubscribe(reader: Reader, topic: Topic): void;
  unsubscribeAll(reader: Reader): void;
}

interface SubscriptionsDeps {
  readonly topics: readonly Topic[];
  readonly log: PublishedFrames;
  readonly fanOut: FanOut;
  readonly places: Places;
  /**
   * For how long a cursor that is ahead of the frames is believed, where another process numbers them: they are on their
   * way. Then the reader gets a snapshot, through `catchUp`. 0 where all frames are made here.
   */
  readonly aheadMs: number;
  readonly catchUp: (reader: Reader) => void;
}

const SNAPSHOT: Place = { type: 'snapshot' };
const UNNUMBERED: Place = { type: 'unnumbered' };

export function createSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  const { topics, log, fanOut, places, aheadMs, catchUp } = deps;

  function topicsOf({ channel, account }: ChannelRequest, tier: Tier): readonly Topic[] {
    const found = topics.filter((topic) => topic.channel.name === channel && isFor(topic, tier));
    if (account === undefined) {
      // Without an account a channel is that of all accounts, which for some is a topic of its own.
      const ofAll = found.filter((topic) => topic.account === null);
      return ofAll.length > 0 ? ofAll : found;
    }
    const own = found.filter((topic) => topic.account?.segment === account);
    if (own.length === 0) {
      const known = [...new Set(found.flatMap((topic) => topic.account?.segment ?? []))];
      const there = known.length === 0 ? '' : `, expected one of ${firstNames(known)}`;
      throw new FeedError(
        'account_unknown',
        `There is no account ${JSON.stringify(account)} on ${channel}${there}`,
      );
    }
    return own;
  }

  function unsubscribe(reader: Reader, topic: Topic): void {
    const subscription = reader.subscriptions.get(topic.name);
    if (subscription === undefined) return;
    reader.subscriptions.delete(topic.name);
    fanOut.remove(subscription);
  }

  /** Whether every frame after the cursor is stored, or on its way. A cursor of another epoch cannot be used. */
  function canResume({ epoch, seq }: Cursor, topic: Topic): boolean {
    const state = log.state(topic);
    if (epoch !== log.epoch || seq < log.oldestCursor(state)) return false;
    return seq <= state.publishedSeq || aheadMs > 0;
  }

  /** Gives up on a cursor that is still ahead of the frames. */
  function awaitFrames(subscription: Subscription, seq: number): void {
    const { reader, state, place } = subscription;
    const giveUp = () => {
      const isLeft = reader.subscriptions.get(state.topic.name) !== subscription;
      if (isLeft || subscription.place !== place || state.publishedSeq >= seq) return;
      subscription.place = SNAPSHOT;
      catchUp(reader);
    };
    setTimeout(giveUp, aheadMs).unref();
  }

  function firstPlace(topic: Topic, resume: Cursor | undefined): Place {
    if (!topic.channel.isStored) return UNNUMBERED;
    if (resume === undefined || !canResume(resume, topic)) return SNAPSHOT;
    const state = log.state(topic);
    return places.at(state, 'replay', resume.seq, state.publishedBytes);
  }

  /** The reader's subscription to the topic, which now is at this place: a new one unless it has the same already. */
  function placed(reader: Reader, state: TopicState, audience: Audience, place: Place): Subscription {
    const { topic } = state;
    const known = reader.subscriptions.get(topic.name);
    if (known?.audience.name === audience.name) {
      known.place = place;
      return known;
    }
    unsubscribe(reader, topic);
    const subscription: Subscription = { reader, state, audience, place };
    reader.subscriptions.set(topic.name, subscription);
    fanOut.add(subscription);
    return subscription;
  }

  return {
    find(requests, tier, resume) {
      const named = requests.map((request) => ({ request, topics: topicsOf(request, tier) }));
      const found = named.flatMap(({ request, topics }) => {
        const options = { bankrollUsd: request.bankroll, includesUnproven: request.include_unproven };
        return topics.map((topic) => ({
          topic,
          audience: audienceOf(topic.audiences, tier, options),
          resume: request.resume ?? resume,
        }));
      });
      const refused = found.map(({ topic }) => topic).filter(({ channel }) => !includes(tier, channel.tier));
      if (refused[0] !== undefined) {
        const { name, tier: needed } = refused[0].channel;
        throw new FeedError('tier_too_low', `The channel ${name} needs a key of tier ${needed}`, refused);
      }
      const isAmbiguous = named.some(
        ({ request, topics }) => request.resume !== undefined && topics.length > 1,
      );
      if (isAmbiguous || (resume !== undefined && found.length > 1)) {
        throw new FeedError(
          'cursor_vague',
          'A cursor belongs to one channel of one account: name the account',
        );
      }
      return found;
    },

    subscribe(reader, { topic, audience, resume }) {
      const state = log.state(topic);
      const place = firstPlace(topic, resume);
      const subscription = placed(reader, state, audience, place);
      const sent = 'seq' in place ? place.seq : 0;
      if (sent > state.publishedSeq) awaitFrames(subscription, sent);
      return {
        topic,
        seq: place.type === 'unnumbered' ? null : Math.max(sent, state.publishedSeq),
        isResumed: place.type === 'replay',
        oldestSeq: place.type === 'snapshot' && resume !== undefined ? log.oldestCursor(state) : undefined,
      };
    },

    unsubscribe,
    unsubscribeAll(reader) {
      for (const subscription of reader.subscriptions.values()) fanOut.remove(subscription);
      reader.subscriptions.clear();
    },
  };
}
