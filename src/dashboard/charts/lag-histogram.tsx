import { useMemo } from 'preact/hooks';
import { countText, durationText } from '../format.ts';
import { Empty } from '../parts/panel.tsx';
import { drawTime, knownMs } from '../state/posts.ts';
import type { PostTime } from '../state/records.ts';
import { HOUR_MS } from '../time-spans.ts';
import { lagBins } from './lag-bins.ts';

const REDRAW_MS = 10_000;

/** How long the posts of the last hour took to be seen. */
export function LagHistogram({ times, now }: { readonly times: readonly PostTime[]; readonly now: number }) {
  const drawnAt = drawTime(times, now, REDRAW_MS);
  const isHourKnown = knownMs(times, drawnAt) >= HOUR_MS;
  const bins = useMemo(() => lagBins(times, drawnAt), [times, drawnAt]);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (!isHourKnown)
    return (
      <Empty title="Not all posts of the hour are known here">
        The tiles at the top have the lag of 24 h. A PRO key shows earlier posts.
      </Empty>
    );
  return (
    <>
      <ol class="histogram num" aria-label="Posts made in the last hour by how long they took to be seen">
        {bins.map(({ aboveMs, upToMs, count }) => {
          const name =
            upToMs === null ? `> ${durationText(aboveMs)}` : `≤ ${durationText(upToMs).replace('.0', '')}`;
          return (
            <li key={name}>
              <span class="name">{name.replace('.0', '')}</span>
              <span class="track" aria-hidden="true">
                <span style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <span class="n">{count}</span>
            </li>
          );
        })}
      </ol>
      <p class="foot num">{`n ${countText(total)}; the last bin holds what was made while nobody looked`}</p>
    </>
  );
}
