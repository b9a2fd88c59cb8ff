import type { SourceName } from '../../../streams/internal.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { FrameLog } from '../log/frame-log.ts';

/**
 * One second of the pipeline. It is made of a tick that went through log, streams and store like any other
 * observation, and follows the frames it counts: where it does not come, nothing else does.
 */
export function heartbeatText(
  log: FrameLog,
  tick: OutputOf<'freshness'>,
  accounts: readonly AccountPath[],
): string {
  const seqs: Record<string, number> = {};
  for (const { topic, toldSeq } of log.states()) {
    if (topic.channel.isStored) seqs[topic.name] = toldSeq;
  }
  const ages = Object.entries(tick.record.ages).map(([source, ageMs]) => [nameOf(source, accounts), ageMs]);
  return JSON.stringify({
    type: 'heartbeat',
    channel: 'heartbeat',
    epoch: log.epoch,
    ts: tick.at,
    seqs,
    ages_ms: Object.fromEntries(ages),
  });
}

/** `posts:a` inside is `posts/account_a` on the wire. */
function nameOf(source: SourceName, accounts: readonly AccountPath[]): string {
  const [role = '', id] = source.split(':');
  const account = accounts.find((each) => each.id === id);
  return account === undefined ? source : `${role}/${account.segment}`;
}
