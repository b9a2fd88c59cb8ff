import type { Answer } from '../../client/browser.ts';
import { countText, percentText } from '../format.ts';
import { wilson } from '../wilson.ts';

type Bin = Answer<'Calibration'>['data'][number]['reliability'][number];

const SIZE = 300;
const PAD = 34;
const INNER = SIZE - PAD - 10;

/** Share of buckets that won by their forecast probability: dots with 95 % whiskers. A perfect forecast lies on the diagonal. */
export function CalibrationChart({ bins }: { readonly bins: readonly Bin[] }) {
  const x = (share: number) => PAD + share * INNER;
  const y = (share: number) => 10 + (1 - share) * INNER;
  const points = bins.flatMap(({ n, mean_prob, won_share }) =>
    mean_prob === null || won_share === null
      ? []
      : [{ n, prob: mean_prob, share: won_share, band: wilson(won_share, n) }],
  );
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
      {points.map(({ n, prob, share, band: [low, high] }) => (
        <g key={String(prob)} class="dot-and-whisker">
          <title>{`given ${percentText(prob)}, won ${percentText(share)}, n ${n}`}</title>
          <line x1={x(prob)} x2={x(prob)} y1={y(low)} y2={y(high)} />
          <line x1={x(prob) - 3} x2={x(prob) + 3} y1={y(low)} y2={y(low)} />
          <line x1={x(prob) - 3} x2={x(prob) + 3} y1={y(high)} y2={y(high)} />
          <circle cx={x(prob)} cy={y(share)} r={3.5} />
          <text x={x(prob) + 6} y={Math.max(16, y(high) - 3)}>
            {countText(n)}
          </text>
        </g>
      ))}
    </svg>
  );
}
