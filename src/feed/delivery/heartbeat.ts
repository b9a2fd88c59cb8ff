import { oldestAges } from '../../../streams/internal.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import { type AccountPath, wireName } from '../../views/account-path.ts';
import { areEventsKnown } from '../../views/active-events.ts';
import { historyPercent } from '../../views/history.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { isFor } from '../channels.ts';
import type { FrameLog } from '../log/frame-log.ts';

interface HeartbeatDeps {
  readonly log: FrameLog;
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
}

/**
 * A heartbeat shows that the whole pipeline works: its tick went through log, streams and store like any other
 * observation, and it comes after the frames it counts. It says what is stale, so that no reader has to judge that. It
 * counts the channels of the tier alone.
 */
export function heartbeatText(
  { log, latest, accounts }: HeartbeatDeps,
  tick: OutputOf<'freshness'>,
  tier: Tier,
): string {
  const seqs: Record<string, number> = {};
  for (const { topic, publishedSeq } of log.states()) {
    const { isStored, tier: needed } = topic.channel;
    if (isStored && includes(tier, needed) && isFor(topic, tier)) seqs[topic.name] = publishedSeq;
  }
  const { stale } = tick.record;
  const named = Object.entries(oldestAges(tick.record)).map(([source, ageMs]) => [
    wireName(source, accounts),
    ageMs,
  ]);
  return JSON.stringify({
    type: 'heartbeat',
    channel: 'heartbeat',
    epoch: log.epoch,
    ts: tick.at,
    seqs,
    ages_ms: Object.fromEntries(named),
    stale: stale.map((source) => wireName(source, accounts)),
    history_percent: Object.fromEntries(
      accounts.map(({ id, segment }) => [segment, historyPercent(latest, id, tick.at)]),
    ),
    events_known: areEventsKnown(latest, 'posts', tick.at),
  });
}
