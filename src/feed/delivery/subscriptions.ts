import type { z } from 'zod';
import { includes, type Tier } from '../../access/tiers.ts';
import type { channelRequest } from '../../contract/feed.ts';
import { ServiceError } from '../../errors.ts';
import { audienceOf } from '../../views/audience.ts';
import type { Topic } from '../channels.ts';
import type { FrameLog } from '../log/frame-log.ts';
import type { Reader, Subscription } from './delivery.ts';
import type { FanOut } from './fan-out.ts';

export type ChannelRequest = z.output<typeof channelRequest>;
export type Cursor = NonNullable<ChannelRequest['resume']>;

/** What a reader asked for that cannot be. Its code goes on the wire. */
export class FeedError extends ServiceError {
  /** Those that were refused, where some were and others not. */
  readonly topics: readonly Topic[];

  constructor(code: string, message: string, topics: readonly Topic[] = []) {
    super(code, message);
    this.topics = topics;
  }
}

/** A topic a reader wants, in his view of it. */
export interface Want {
  readonly topic: Topic;
  readonly request: ChannelRequest;
  readonly resume: Cursor | undefined;
}

export interface SubscribeDeps {
  readonly topics: readonly Topic[];
  readonly log: FrameLog;
  readonly fanOut: FanOut;
}

/** A topic that was subscribed to. Its first frames come with the reader's next `catchUp`. */
export interface Begun {
  readonly topic: Topic;
  readonly seq: number | null;
  readonly isResumed: boolean;
  /** Given when the cursor was too old: the oldest that is not. */
  readonly oldestSeq: number | undefined;
}

export interface Subscriptions {
  /** The topics that are meant, or a FeedError. */
  find(requests: readonly ChannelRequest[], tier: Tier, resume?: Cursor): readonly Want[];
  /** Notes the reader's wish. Nothing is sent before `start`. */
  begin(reader: Reader, want: Want, tier: Tier): Begun;
  end(reader: Reader, topic: Topic): void;
  endAll(reader: Reader): void;
}

export function createSubscriptions({ topics, log, fanOut }: SubscribeDeps): Subscriptions {
  function meant({ channel, account }: ChannelRequest): readonly Topic[] {
    const found = topics.filter((topic) => topic.channel.name === channel);
    if (account === undefined) return found;
    const own = found.filter((topic) => topic.account?.segment === account);
    if (own.length === 0) {
      throw new FeedError('account_unknown', `There is no account ${JSON.stringify(account)} on ${channel}`);
    }
    return own;
  }

  function end(reader: Reader, topic: Topic): void {
    const old = reader.subscriptions.get(topic.name);
    if (old === undefined) return;
    reader.subscriptions.delete(topic.name);
    fanOut.remove(old);
  }

  /** Whether what came after the cursor is known. One of another numbering, or ahead of ours, says nothing. */
  function canResume({ epoch, seq }: Cursor, topic: Topic): boolean {
    const state = log.state(topic);
    return epoch === log.epoch && seq <= state.toldSeq && seq >= log.floor(state);
  }

  return {
    find(requests, tier, resume) {
      const wants = requests.flatMap((request) =>
        meant(request).map((topic) => ({ topic, request, resume: request.resume })),
      );
      const refused = wants.map(({ topic }) => topic).filter(({ channel }) => !includes(tier, channel.tier));
      if (refused[0] !== undefined) {
        const { name, tier: needed } = refused[0].channel;
        throw new FeedError('tier_too_low', `The channel ${name} needs a key of tier ${needed}`, refused);
      }
      const hasVague = requests.some((request) => request.resume && meant(request).length > 1);
      if (hasVague || (resume !== undefined && wants.length > 1)) {
        throw new FeedError(
          'cursor_vague',
          'A cursor belongs to one channel of one account: name the account',
        );
      }
      return wants.map((want) => ({ ...want, resume: want.resume ?? resume }));
    },

    begin(reader, { topic, request, resume }, tier) {
      end(reader, topic);
      const state = log.state(topic);
      const options = { bankrollUsd: request.bankroll, includesUnproven: request.include_unproven };
      const subscription: Subscription = {
        reader,
        state,
        view: audienceOf(topic.audiences, tier, options),
        sentSeq: state.toldSeq,
        wantsSnapshot: false,
        isReplaying: false,
        upToDateBytes: state.bytes,
      };
      reader.subscriptions.set(topic.name, subscription);
      fanOut.add(subscription);
      if (!topic.channel.isStored) {
        return { topic, seq: null, isResumed: false, oldestSeq: undefined };
      }
      const isResumed = resume !== undefined && canResume(resume, topic);
      const isTooOld = resume !== undefined && !isResumed;
      subscription.wantsSnapshot = !isResumed;
      if (isResumed) {
        subscription.sentSeq = resume.seq;
        subscription.isReplaying = true;
      }
      return {
        topic,
        seq: state.toldSeq,
        isResumed,
        oldestSeq: isTooOld ? log.floor(state) : undefined,
      };
    },

    end,
    endAll(reader) {
      for (const subscription of reader.subscriptions.values()) fanOut.remove(subscription);
      reader.subscriptions.clear();
    },
  };
}
