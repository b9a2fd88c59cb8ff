import { memo } from '../parts/memo.tsx';

const HEIGHT = 34;
const STEP = 8;

/** Posts per hour as bars; the last one is the present hour. There is room for `places` bars. */
export const Sparkline = memo(
  ({ values, places }: { readonly values: readonly number[]; readonly places: number }) => {
    const top = Math.max(1, ...values);
    const width = places * STEP;
    return (
      <svg
        class="spark"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          values.length === 0
            ? 'Posts of the last hours are not known'
            : `Posts in each of the last ${values.length} hours: ${values.join(', ')}`
        }
      >
        {values.map((value, place) => {
          const height = Math.max(1, (value / top) * (HEIGHT - 2));
          return (
            <rect
              key={String(place)}
              class={place === values.length - 1 ? 'bar last' : 'bar'}
              x={(places - values.length + place) * STEP + 1}
              y={HEIGHT - height}
              width={STEP - 2}
              height={height}
            />
          );
        })}
      </svg>
    );
  },
);
