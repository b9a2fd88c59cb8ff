import { Sparkline } from '../charts/sparkline.tsx';
import { countdownText, dayText, percentText } from '../format.ts';
import { hourlyPosts } from '../state/posts.ts';
import type { AccountState, Counters, Prediction } from '../state/records.ts';

const HOURS = 24;

/** Time left, pace and sleep. */
export function PulseRow(props: {
  readonly event: Counters;
  readonly prediction: Prediction | undefined;
  readonly account: AccountState;
  readonly now: number;
  readonly isPaid: boolean;
}) {
  const { event, prediction, account, now, isPaid } = props;
  const posts = account.posts ?? [];
  const oldest = posts.at(-1)?.created_ts ?? now;
  // Callers without a key are shown the newest posts only: hours before those are not known.
  const known = Math.min(HOURS, Math.max(1, Math.floor((now - oldest) / 3_600_000)));
  const hours = hourlyPosts(posts, now, isPaid ? HOURS : known);
  const lastHour = hours.at(-1) ?? 0;
  const velocity = account.velocity;
  const asleep = prediction?.sleep_probability;
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
      <div>
        <dt>Posts an hour</dt>
        <dd class="num big">
          {velocity ? `${velocity.velocity_counted_1h} / ${velocity.velocity_all_1h}` : lastHour}
        </dd>
        <dd class="sub">
          <Sparkline
            values={hours}
            label={`Posts in each of the last ${hours.length} hours: ${hours.join(', ')}`}
          />
          {velocity ? 'counted / all' : `all, ${hours.length} h known`}
        </dd>
      </div>
      <div>
        <dt>Asleep</dt>
        <dd class="num big">{isPaid ? percentText(asleep) : '–'}</dd>
        <dd class="sub">{isPaid ? sleepWords(asleep) : 'needs a PRO key'}</dd>
      </div>
    </dl>
  );
}

function sleepWords(probability: number | null | undefined): string {
  if (probability === null || probability === undefined) return 'not known yet';
  if (probability > 0.8) return 'very likely asleep';
  if (probability > 0.4) return 'may be asleep';
  return 'awake';
}
