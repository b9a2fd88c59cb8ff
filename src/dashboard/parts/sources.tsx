import type { FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { durationText } from '../format.ts';
import { isDisconnected, isOfAccounts } from '../state/staleness.ts';
import { useSourceText } from './account-names.ts';
import { Loading } from './panel.tsx';

/** Each source of the accounts, and of all, with the time since it last answered. */
export function Sources(props: {
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly accounts: readonly string[];
  readonly status: FeedStatus;
  readonly now: number;
}) {
  const { heartbeat, accounts, status, now } = props;
  const sourceText = useSourceText();
  if (heartbeat === undefined) return <Loading what="sources" />;
  const sinceMs = Math.max(0, now - heartbeat.ts);
  return (
    <ul class="sources">
      {Object.entries(heartbeat.ages_ms).map(([name, ageMs]) => {
        if (!isOfAccounts(name, (account) => accounts.includes(account))) return null;
        const isStale = heartbeat.stale.includes(name);
        const isUncertain = isStale || isDisconnected(status);
        return (
          <li key={name} data-source={name} class={isStale ? 'silent' : ''}>
            <span class={`dot ${isUncertain ? 'warn' : 'good'}`} aria-hidden="true" />
            <span>{sourceText(name)}</span>
            <span class="num">{`${durationText(ageMs + sinceMs)} ago`}</span>
            <span class={isUncertain ? 'tag warn' : 'tag quiet'}>
              {isStale ? 'stale' : isUncertain ? 'unknown' : 'answers'}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
