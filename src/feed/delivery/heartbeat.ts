import type { SourceName } from '../../../streams/internal.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { AgeLimits } from '../../views/as-of.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { FrameLog } from '../log/frame-log.ts';

/**
 * A heartbeat shows that the whole pipeline works: its tick went through log, streams and store like any other
 * observation, and it comes after the frames it counts.
 */
export function heartbeatText(
  log: FrameLog,
  tick: OutputOf<'freshness'>,
  accounts: readonly AccountPath[],
  staleAfterMs: AgeLimits,
): string {
  const seqs: Record<string, number> = {};
  for (const { topic, publishedSeq } of log.states()) {
    if (topic.channel.isStored) seqs[topic.name] = publishedSeq;
  }
  const ages = Object.entries(tick.record.ages).map(([source, ageMs]) => [wireName(source, accounts), ageMs]);
  return JSON.stringify({
    type: 'heartbeat',
    channel: 'heartbeat',
    epoch: log.epoch,
    ts: tick.at,
    seqs,
    ages_ms: Object.fromEntries(ages),
    limits_ms: staleAfterMs,
  });
}

/** `posts:a` becomes `posts/account_a` on the wire. */
function wireName(source: SourceName, accounts: readonly AccountPath[]): string {
  const [role = '', id] = source.split(':');
  const account = accounts.find((each) => each.id === id);
  return account === undefined ? source : `${role}/${account.segment}`;
}
