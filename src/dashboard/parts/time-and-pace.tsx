import { useMemo } from 'preact/hooks';
import { Sparkline } from '../charts/sparkline.tsx';
import { countdownText, countText, dayText, percentText } from '../format.ts';
import { drawTime, hourlyPosts, knownMs } from '../state/posts.ts';
import type { Counters, PostTime, Velocity } from '../state/records.ts';
import { HOUR_MS } from '../time-spans.ts';
import { Term } from './term.tsx';

const HOURS = 24;
/** One or two bars have nothing to be compared with. */
const LEAST_HOURS = 3;
const REDRAW_MS = 30_000;

/** Time left, posts an hour, and whether the account sleeps. */
export function TimeAndPace(props: {
  readonly event: Counters;
  readonly velocity: Velocity | undefined;
  readonly sleepProbability: number | null | undefined;
  readonly times: readonly PostTime[];
  readonly isPaid: boolean;
  readonly now: number;
}) {
  const { event, velocity, sleepProbability, times, now, isPaid } = props;
  // Some accounts show it to everyone.
  const isShown = isPaid || sleepProbability !== undefined;
  const elapsed = (now - event.start_ts) / (event.end_ts - event.start_ts);
  return (
    <dl class="time-and-pace">
      <div>
        <dt>Closes in</dt>
        <dd class="num big">{countdownText(event.end_ts - now)}</dd>
        <dd class="sub">
          <progress max={1} value={Math.min(1, Math.max(0, elapsed))} aria-label="Share of the window gone" />
          {dayText(event.end_ts)}
        </dd>
      </div>
      <Pace velocity={velocity} times={times} isPaid={isPaid} now={now} />
      <div>
        <dt>
          Asleep <Term word="Asleep" />
        </dt>
        <dd class="num big">{isShown ? percentText(sleepProbability) : '–'}</dd>
        <dd class="sub">{isShown ? sleepText(sleepProbability) : 'needs a PRO key'}</dd>
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
  const drawnAt = drawTime(times, props.now, REDRAW_MS);
  const hours = useMemo(
    () => hourlyPosts(times, drawnAt, Math.min(HOURS, Math.floor(knownMs(times, drawnAt) / HOUR_MS))),
    [times, drawnAt],
  );
  return (
    <div>
      <dt>
        Posts an hour <Term word="Posts an hour" />
      </dt>
      <dd class="num big">
        {velocity
          ? `${countText(velocity.velocity_counted_1h)} / ${countText(velocity.velocity_all_1h)}`
          : countText(null)}
      </dd>
      <dd class="sub">
        <Sparkline values={hours.length < LEAST_HOURS ? [] : hours} places={HOURS} />
        {isPaid ? 'counted / all' : 'needs a PRO key'}
      </dd>
    </div>
  );
}

function sleepText(probability: number | null | undefined): string {
  if (probability === null || probability === undefined) return 'not known yet';
  if (probability > 0.8) return 'very likely asleep';
  if (probability > 0.4) return 'may be asleep';
  return 'awake';
}
