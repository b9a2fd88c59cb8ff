import type { Answer } from '../../client/browser.ts';
import { percentText } from '../format.ts';
import { wilson } from '../wilson.ts';

type Bin = Answer<'Calibration'>['data'][number]['reliability'][number];

const SIZE = 300;
const PAD = 34;
const INNER = SIZE - PAD - 10;

/** Share of buckets that won by their forecast probability, with 95 % intervals. A perfect forecast lies on the diagonal. */
export function CalibrationChart({ bins }: { readonly bins: readonly Bin[] }) {
  const x = (share: number) => PAD + share * INNER;
  const y = (share: number) => 10 + (1 - share) * INNER;
  const points = bins.flatMap(({ n, mean_prob, won_share }) =>
    mean_prob === null || won_share === null
      ? []
      : [{ n, prob: mean_prob, share: won_share, band: wilson(won_share, n) }],
  );
  const upper = points.map(({ prob, band }) => `${x(prob)},${y(band[1])}`);
  const lower = points.map(({ prob, band }) => `${x(prob)},${y(band[0])}`).reverse();
  const total = points.reduce((sum, { n }) => sum + n, 0);
  const words = points.map(({ n, prob, share }) => `${percentText(prob)} won ${percentText(share)} of ${n}`);
  return (
    <svg
      class="calibration"
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      role="img"
      aria-label={`Calibration over ${total} buckets: ${words.join('; ')}`}
    >
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={String(share)} class="rule">
          <line x1={x(0)} x2={x(1)} y1={y(share)} y2={y(share)} />
          <text x={PAD - 6} y={y(share) + 4} text-anchor="end">
            {share * 100}
          </text>
          <text x={x(share)} y={SIZE - 10} text-anchor="middle">
            {share * 100}
          </text>
        </g>
      ))}
      <line class="diagonal" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
      <polygon class="band" points={[...upper, ...lower].join(' ')} />
      <polyline class="curve" points={points.map(({ prob, share }) => `${x(prob)},${y(share)}`).join(' ')} />
      {points.map(({ n, prob, share }) => (
        <circle key={String(prob)} cx={x(prob)} cy={y(share)} r={2.5 + Math.min(4, Math.log10(n))}>
          <title>{`given ${percentText(prob)}, won ${percentText(share)}, n ${n}`}</title>
        </circle>
      ))}
    </svg>
  );
}
