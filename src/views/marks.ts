import type { AccountId, Output } from '../../streams/internal.ts';
import type { FeedCause } from '../contract/feed.ts';
import type { Topic } from '../feed/channels.ts';
import { feedCause } from '../feed/log/causes.ts';
import { WITH_VELOCITY } from '../server/routes/prediction.ts';
import { activeCryptoEvents, activeEvents, isActive } from './active-events.ts';
import type { Latest } from './latest.ts';
import { createSleepStates } from './records/sleep-states.ts';

export interface ConcernsDeps {
  readonly latest: Latest;
  /** Those of records that change. */
  readonly topics: readonly Topic[];
  /** Whether a record was told under the key and is not gone. */
  readonly isLive: (topic: Topic, key: string) => boolean;
  /** Told of each record that may have changed, and why. */
  readonly mark: (topics: readonly Topic[], key: string, cause: FeedCause) => void;
}

/** Finds the records over REST that an output changes. */
export function createConcerns({ latest, topics, isLive, mark }: ConcernsDeps): (output: Output) => void {
  const sleep = createSleepStates(latest);

  const topicsFor = (account: AccountId | null, ...names: readonly string[]) =>
    topics.filter((topic) => (topic.account?.id ?? null) === account && names.includes(topic.channel.name));

  function markEvents(account: AccountId, name: string, cause: FeedCause): void {
    for (const { key } of activeEvents(latest, account)) mark(topicsFor(account, name), key, cause);
  }

  return (output) => {
    const cause = feedCause(output.cause);
    switch (output.stream) {
      case 'events': {
        const { subject } = output.record;
        const account = subject.type === 'posts' ? subject.account : null;
        const own =
          account === null
            ? topicsFor(null, 'crypto')
            : topicsFor(account, 'counters', 'prediction', 'signals');
        // An event may leave the account it had.
        const old = topics.filter((topic) => !own.includes(topic) && isLive(topic, output.key));
        mark([...own, ...old], output.key, cause);
        if (!isActive(output)) sleep.forget(output.key);
        return;
      }
      case 'counters':
        mark(topicsFor(output.record.account, 'counters', 'prediction'), output.key, cause);
        return;
      case 'prices': {
        const key = String(output.record.eventId);
        const subject = latest.get('events', key)?.record.subject;
        if (subject?.type === 'posts') mark(topicsFor(subject.account, 'prediction'), key, cause);
        else if (subject) mark(topicsFor(null, 'crypto'), key, cause);
        return;
      }
      case 'spot':
        for (const { key, record } of activeCryptoEvents(latest)) {
          if (record.subject.type !== 'crypto' || record.subject.symbol !== output.key) continue;
          mark(topicsFor(null, 'crypto'), key, cause);
        }
        return;
      case 'predictions': {
        // Those kept to be scored stand under other keys.
        if (output.key !== String(output.record.eventId)) return;
        const told = topicsFor(output.record.account, 'prediction');
        mark(told, output.key, cause);
        if (sleep.hasTurned(output.key, output.record)) mark(told, output.key, 'sleep_state');
        return;
      }
      case 'velocity':
      case 'lag': {
        const { account } = output.record;
        const [topic] = topicsFor(account, output.stream);
        if (topic?.account) mark([topic], topic.account.segment, cause);
        const isPart = output.stream === 'velocity' && account === WITH_VELOCITY;
        if (isPart) markEvents(account, 'prediction', cause);
        return;
      }
      case 'signals':
        mark(topicsFor(output.record.account, 'signals'), output.key, cause);
        return;
      case 'scores':
        markEvents(output.record.account, 'signals', cause);
        return;
      case 'freshness':
        mark(topicsFor(null, 'test'), 'test', 'clock');
        return;
      default:
        return;
    }
  };
}
