import type { HeartbeatFrame } from '../../client/browser.ts';
import { durationText } from '../format.ts';
import { sourceText } from './connection.tsx';
import { Loading } from './panel.tsx';

/** Each source with the time since it last answered. */
export function Sources(props: {
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly silent: readonly string[];
  readonly now: number;
}) {
  const { heartbeat, silent, now } = props;
  if (heartbeat === undefined) return <Loading what="sources" />;
  const sinceMs = Math.max(0, now - heartbeat.ts);
  return (
    <ul class="sources">
      {Object.entries(heartbeat.ages_ms).map(([name, ageMs]) => {
        // It reads all history once and is done.
        const isDone = name.startsWith('archive');
        const isSilent = silent.includes(name);
        return (
          <li key={name} data-source={name} class={isSilent ? 'silent' : ''}>
            <span class={`dot ${isSilent ? 'warn' : 'good'}`} aria-hidden="true" />
            <span>{sourceText(name)}</span>
            <span class="num">{isDone ? 'when needed' : `${durationText(ageMs + sinceMs)} ago`}</span>
            <span class={isSilent ? 'tag warn' : 'tag quiet'}>{isSilent ? 'silent' : 'answers'}</span>
          </li>
        );
      })}
    </ul>
  );
}
