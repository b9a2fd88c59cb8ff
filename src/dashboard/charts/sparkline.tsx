import { memo } from '../parts/memo.tsx';

const HEIGHT = 34;
const STEP = 8;

/** Posts per hour as bars, the last one now. */
export const Sparkline = memo(({ values }: { readonly values: readonly number[] }) => {
  const top = Math.max(1, ...values);
  const width = values.length * STEP;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Posts in each of the last ${values.length} hours: ${values.join(', ')}`}
    >
      {values.map((value, place) => {
        const height = Math.max(1, (value / top) * (HEIGHT - 2));
        return (
          <rect
            key={String(place)}
            class={place === values.length - 1 ? 'bar last' : 'bar'}
            x={place * STEP + 1}
            y={HEIGHT - height}
            width={STEP - 2}
            height={height}
          />
        );
      })}
    </svg>
  );
});
