import { durationText } from '../format.ts';
import type { Post } from '../state/records.ts';

const HOUR_MS = 3_600_000;
/** Upper ends of the bins, ms; the last bin has none. */
const ENDS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000];
/** Seen later than this it was read with the history, and not as it came. */
const LIVE_MS = 300_000;

export function lagBins(posts: readonly Post[], now: number): readonly number[] {
  const bins = new Array<number>(ENDS.length + 1).fill(0);
  for (const { created_ts, seen_ts } of posts) {
    const lagMs = seen_ts - created_ts;
    if (now - seen_ts > HOUR_MS || lagMs > LIVE_MS) continue;
    const place = ENDS.findIndex((end) => lagMs <= end);
    const bin = place < 0 ? ENDS.length : place;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

/** How long posts of the last hour took until they were seen. */
export function LagHistogram({ posts, now }: { readonly posts: readonly Post[]; readonly now: number }) {
  const bins = lagBins(posts, now);
  const most = Math.max(1, ...bins);
  return (
    <ol class="histogram num" aria-label="Posts of the last hour by how long they took to be seen">
      {bins.map((count, bin) => {
        const end = ENDS[bin];
        const name =
          end === undefined ? `> ${durationText(ENDS.at(-1))}` : `≤ ${durationText(end).replace('.0', '')}`;
        return (
          <li key={name}>
            <span class="name">{name}</span>
            <span class="track" aria-hidden="true">
              <span style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <span class="n">{count}</span>
          </li>
        );
      })}
    </ol>
  );
}
