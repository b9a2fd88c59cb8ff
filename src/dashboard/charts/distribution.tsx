import { useState } from 'preact/hooks';
import { countText, percentText } from '../format.ts';
import type { Prediction } from '../state/records.ts';
import { type CountRange, FAN_BOTTOM, FAN_HEIGHT, FAN_TOP } from './fan-chart.tsx';

const BINS = 36;
/** Share of the width for the bars; the rest is for the number beside them. */
const BARS = 0.58;
const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

/** The distribution of the final count, on the same scale as the fan chart beside it. */
export function Distribution(props: {
  readonly distribution: NonNullable<Prediction['distribution']>;
  readonly range: CountRange;
  readonly median: number;
}) {
  const { range, distribution, median } = props;
  const height = FAN_HEIGHT - FAN_TOP - FAN_BOTTOM;
  const perBin = (range.most - range.least) / BINS;
  const shares = density(distribution, range, perBin);
  const top = Math.max(...shares, 0.001);
  const [hovered, setHovered] = useState<number>();
  const yOf = (count: number) => FAN_TOP + height * (1 - (count - range.least) / (range.most - range.least));
  const binAt = (y: number) => Math.floor(BINS * (1 - (y - FAN_TOP) / height));
  const share = hovered === undefined ? undefined : shares[hovered];
  const edge = (bin: number) => countText(Math.round(range.least + bin * perBin));
  return (
    <div class="distribution-box">
      <svg
        class="distribution"
        height={FAN_HEIGHT}
        role="img"
        aria-label={`Distribution of the final count, median ${median}`}
        onPointerMove={(event) => setHovered(binAt(event.offsetY))}
        onPointerDown={(event) => setHovered(binAt(event.offsetY))}
        onPointerLeave={() => setHovered(undefined)}
      >
        {shares.map((each, bin) => (
          <rect
            key={String(bin)}
            class={bin === hovered ? 'hovered' : undefined}
            x={0}
            y={yOf(range.least + (bin + 1) * perBin) + 0.5}
            width={percent((each / top) * BARS)}
            height={Math.max(1, height / BINS - 1)}
          />
        ))}
        <line x1={0} x2={percent(BARS)} y1={yOf(median)} y2={yOf(median)} />
        <text x="100%" text-anchor="end" y={Math.max(FAN_TOP + 4, yOf(median) + 4)}>
          {countText(median)}
        </text>
      </svg>
      {hovered === undefined || share === undefined ? null : (
        <div class="tip num">{`${edge(hovered)} to ${edge(hovered + 1)}: ${percentText(share)}`}</div>
      )}
    </div>
  );
}

/** Each share is spread evenly between the middles of its neighbours, since the counts are quantiles. */
function density(
  distribution: NonNullable<Prediction['distribution']>,
  { least }: CountRange,
  perBin: number,
): readonly number[] {
  const shares = new Array<number>(BINS).fill(0);
  for (const [place, { count, prob }] of distribution.entries()) {
    const from = (count + (distribution[place - 1]?.count ?? count - 1)) / 2;
    const to = (count + (distribution[place + 1]?.count ?? count + 1)) / 2;
    for (let bin = 0; bin < BINS; bin++) {
      const start = least + bin * perBin;
      const shared = Math.min(to, start + perBin) - Math.max(from, start);
      if (shared > 0) shares[bin] = (shares[bin] ?? 0) + (prob * shared) / (to - from);
    }
  }
  return shares;
}
