import type { FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { durationText, sourceText } from '../format.ts';
import { isDisconnected } from '../state/staleness.ts';
import { Loading } from './panel.tsx';

/** Each source with the time since it last answered. */
export function Sources(props: {
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly status: FeedStatus;
  readonly now: number;
}) {
  const { heartbeat, status, now } = props;
  if (heartbeat === undefined) return <Loading what="sources" />;
  const sinceMs = Math.max(0, now - heartbeat.ts);
  return (
    <ul class="sources">
      {Object.entries(heartbeat.ages_ms).map(([name, ageMs]) => {
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
