import { oldestAges } from '../../../streams/internal.ts';
import { includes } from '../../access/tiers.ts';
import type { AccountPath, WireName } from '../../views/account-path.ts';
import { areEventsKnown } from '../../views/active-events.ts';
import { historyPercent } from '../../views/history.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { isFor, type Topic, tierOf } from '../channels.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import type { TopicState } from '../log/numbering.ts';

interface HeartbeatsDeps {
  readonly log: PublishedFrames;
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly wireName: WireName;
}

/** The heartbeat of a topic for one tick. */
interface Heartbeat {
  readonly state: TopicState;
  text(): string;
}

/**
 * A heartbeat shows that the whole pipeline works: its tick went through log, streams and store like any other
 * observation, and it comes after the frames it counts. It says what is stale, so that no reader has to judge that. It
 * counts the channels of the tier alone. That of an account leaves out all other accounts, so that it stays small however
 * many there are.
 */
export function createHeartbeats(
  { log, latest, accounts, wireName }: HeartbeatsDeps,
  topics: readonly Topic[],
): (tick: OutputOf<'freshness'>) => readonly Heartbeat[] {
  const beats = topics
    .filter(({ channel }) => channel.name === 'heartbeat')
    .map((topic) => ({
      state: log.state(topic),
      account: topic.account,
      listed: topic.account === null ? accounts : [topic.account],
      // Looked for once somebody follows it: with many accounts there are many topics to look through for each of many beats.
      counted: once(() => countedBy(topic, log.states())),
    }));

  return (tick) => {
    const { at, record } = tick;
    const ages = Object.entries(oldestAges(record));
    return beats.map(({ state, account, listed, counted }) => ({
      state,
      text() {
        const isListed = (source: string) => account === null || isReadFor(source, account);
        return JSON.stringify({
          type: 'heartbeat',
          channel: 'heartbeat',
          ...(account !== null && { account: account.segment }),
          epoch: log.epoch,
          ts: at,
          seqs: Object.fromEntries(counted().map(({ topic, publishedSeq }) => [topic.name, publishedSeq])),
          ages_ms: Object.fromEntries(
            ages.filter(([source]) => isListed(source)).map(([source, ageMs]) => [wireName(source), ageMs]),
          ),
          stale: record.stale.filter(isListed).map(wireName),
          history_percent: Object.fromEntries(
            listed.map(({ id, segment }) => [segment, historyPercent(latest, id, at)]),
          ),
          events_known: areEventsKnown(latest, 'posts', at),
        });
      },
    }));
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The topics that a heartbeat counts. */
function countedBy(counting: Topic, states: Iterable<TopicState>): readonly TopicState[] {
  const { account } = counting;
  const tier = tierOf(counting);
  return Array.from(states).filter(({ topic }) => {
    const { isStored, tier: needed } = topic.channel;
    const isOther = account !== null && topic.account !== null && topic.account !== account;
    return isStored && includes(tier, needed) && isFor(topic, tier) && !isOther;
  });
}

/** Whether a source such as `posts:a` or `prices` is read for this account. */
function isReadFor(source: string, { id }: AccountPath): boolean {
  const colon = source.indexOf(':');
  return colon < 0 || source.slice(colon + 1) === id;
}
