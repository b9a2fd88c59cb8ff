import type { Tier } from '../../access/tiers.ts';
import type { Topic } from '../channels.ts';
import type { Subscribed } from '../delivery/subscriptions.ts';

// Frames without a number, which are sent to a single reader.

type Id = string | number | undefined;

const topicFields = ({ channel, account }: Topic) => ({
  channel: channel.name,
  account: account?.segment ?? null,
});

export function subscribedText(id: Id, epoch: string, subscribed: readonly Subscribed[]): string {
  const channels = subscribed.map(({ topic, seq, isResumed }) => ({
    ...topicFields(topic),
    seq,
    resumed: isResumed,
  }));
  return JSON.stringify({ type: 'subscribed', id: id ?? null, epoch, channels });
}

export function unsubscribedText(id: Id, topics: readonly Topic[]): string {
  return JSON.stringify({ type: 'unsubscribed', id: id ?? null, channels: topics.map(topicFields) });
}

export function authenticatedText(id: Id, tier: Tier): string {
  return JSON.stringify({ type: 'authenticated', id: id ?? null, tier });
}

export function errorText(id: Id, code: string, detail: string): string {
  return JSON.stringify({ type: 'error', id: id ?? null, code, detail });
}

/** One text for each topic that the tier does not include. */
export function tierTexts(id: Id, topics: readonly Topic[]): readonly string[] {
  return topics.map((topic) => {
    const { name, tier } = topic.channel;
    const detail = `The channel ${name} needs a key of tier ${tier}`;
    const error = { type: 'error', id: id ?? null, code: 'tier_too_low', detail };
    return JSON.stringify({ ...error, ...topicFields(topic) });
  });
}

/** One text for each topic whose cursor is too old. */
export function tooOldTexts(id: Id, subscribed: readonly Subscribed[]): readonly string[] {
  return subscribed.flatMap(({ topic, oldestSeq }) => {
    if (oldestSeq === undefined) return [];
    const detail = 'What came after this cursor is no longer known; a snapshot follows';
    const error = { type: 'error', id: id ?? null, code: 'cursor_too_old', detail };
    return [JSON.stringify({ ...error, ...topicFields(topic), oldest_seq: oldestSeq })];
  });
}

/** `pipelineAt` is when the last observation was received. */
export function pongText(id: Id, nowMs: number, pipelineAt: number): string {
  return JSON.stringify({ type: 'pong', id: id ?? null, ts: nowMs, pipeline_ts: pipelineAt });
}

export function goodbyeText(nowMs: number): string {
  return JSON.stringify({ type: 'goodbye', ts: nowMs, reason: 'The service stops; come back in a moment' });
}
