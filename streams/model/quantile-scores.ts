/** Forecasts have quantiles at 0 %, 1 %, ... 100 %, where the ends stand for 0.05 % and 99.95 %. */
const END_LEVEL = 0.0005;

function levelOf(percent: number): number {
  return Math.max(END_LEVEL, Math.min(1 - END_LEVEL, percent / 100));
}

/**
 * The continuous ranked probability score in posts: twice the mean pinball loss over all levels, here from 1 % to
 * 99 %.
 */
export function quantileCrps(quantiles: readonly number[], actual: number): number {
  const inner = quantiles.slice(1, -1);
  const loss = inner.reduce((sum, quantile, index) => {
    const level = levelOf(index + 1);
    return sum + (actual - quantile) * (actual < quantile ? level - 1 : level);
  }, 0);
  return (2 * loss) / inner.length;
}

/**
 * The place of the outcome in the distribution, 0 to 1, interpolated between the quantiles. When several levels have
 * the same count it is their middle.
 */
export function quantilePit(quantiles: readonly number[], actual: number): number {
  const above = quantiles.findIndex((quantile) => quantile >= actual);
  if (above === -1) return 1;
  const high = quantiles[above] ?? actual;
  if (high === actual) {
    const last = quantiles.lastIndexOf(actual);
    return (levelOf(above) + levelOf(last)) / 2;
  }
  if (above === 0) return 0;
  const low = quantiles[above - 1] ?? actual;
  const share = (actual - low) / (high - low);
  return levelOf(above - 1) + share * (levelOf(above) - levelOf(above - 1));
}
