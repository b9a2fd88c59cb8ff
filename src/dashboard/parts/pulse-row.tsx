import { useMemo } from 'preact/hooks';
import { Sparkline } from '../charts/sparkline.tsx';
import { countdownText, dayText, percentText } from '../format.ts';
import { hourlyPosts } from '../state/posts.ts';
import type { Counters, PostTime, Velocity } from '../state/records.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How often bars of an hour are worth drawing again though nothing came. */
const REDRAW_MS = 30_000;

/** Time left, pace and sleep. */
export function PulseRow(props: {
  readonly event: Counters;
  readonly velocity: Velocity | undefined;
  readonly sleepProbability: number | null | undefined;
  readonly times: readonly PostTime[];
  readonly isPaid: boolean;
  readonly now: number;
}) {
  const { event, velocity, sleepProbability, times, now, isPaid } = props;
  const gone = (now - event.start_ts) / (event.end_ts - event.start_ts);
  return (
    <dl class="pulse">
      <div>
        <dt>Closes in</dt>
        <dd class="num big">{countdownText(event.end_ts - now)}</dd>
        <dd class="sub">
          <progress max={1} value={Math.min(1, Math.max(0, gone))} aria-label="Share of the window gone" />
          {dayText(event.end_ts)}
        </dd>
      </div>
      <Pace velocity={velocity} times={times} isPaid={isPaid} now={now} />
      <div>
        <dt>Asleep</dt>
        <dd class="num big">{isPaid ? percentText(sleepProbability) : '–'}</dd>
        <dd class="sub">{isPaid ? sleepWords(sleepProbability) : 'needs a PRO key'}</dd>
      </div>
    </dl>
  );
}

function Pace(props: {
  readonly velocity: Velocity | undefined;
  readonly times: readonly PostTime[];
  readonly isPaid: boolean;
  readonly now: number;
}) {
  const { velocity, times, isPaid } = props;
  const drawnAt = Math.max(times[0]?.created_ts ?? 0, props.now - (props.now % REDRAW_MS));
  const hours = useMemo(() => {
    const oldest = times.at(-1)?.created_ts ?? drawnAt;
    // Callers without a key are shown the newest posts only: hours before those are not known.
    const known = Math.min(HOURS, Math.max(1, Math.floor((drawnAt - oldest) / HOUR_MS)));
    return hourlyPosts(times, drawnAt, isPaid ? HOURS : known);
  }, [times, drawnAt, isPaid]);
  return (
    <div>
      <dt>Posts an hour</dt>
      <dd class="num big">
        {velocity ? `${velocity.velocity_counted_1h} / ${velocity.velocity_all_1h}` : (hours.at(-1) ?? 0)}
      </dd>
      <dd class="sub">
        <Sparkline values={hours} places={HOURS} />
        {velocity ? 'counted / all' : `all, ${hours.length} h known`}
      </dd>
    </div>
  );
}

function sleepWords(probability: number | null | undefined): string {
  if (probability === null || probability === undefined) return 'not known yet';
  if (probability > 0.8) return 'very likely asleep';
  if (probability > 0.4) return 'may be asleep';
  return 'awake';
}
