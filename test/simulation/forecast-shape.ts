import * as z from 'zod';
import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const percentiles = z.object({ p5: z.number(), p50: z.number(), p95: z.number() });
const prediction = z.object({
  market_oracle_counter: z.number().nullable(),
  forecast: percentiles,
  distribution: z.array(z.object({ count: z.number(), prob: z.number() })),
  markets: z.array(
    z.object({ lo: z.number().nullable(), hi: z.number().nullable(), model_prob: z.number().nullable() }),
  ),
});
const portfolio = z.object({ prediction: percentiles });
type Bucket = z.infer<typeof prediction>['markets'][number];

/** The shares are sums of two hundredths, which do not add up exactly. */
const EXACT = 1e-9;
/** By so much may the probability of one bucket be off: four decimals, and at least 0.0001 for what can still win. */
const ROUNDING = 0.000_16;

function areOrdered({ p5, p50, p95 }: z.infer<typeof percentiles>): boolean {
  return p5 <= p50 && p50 <= p95;
}

/** Whether each count from 0 on is in one bucket. */
function areTiled(buckets: readonly Bucket[]): boolean {
  return buckets.every(({ lo }, at) => {
    const before = buckets[at - 1];
    return at === 0 ? lo === 0 : before?.hi != null && lo === before.hi + 1;
  });
}

/** Percentiles are ordered and not below what the oracle has counted, and probabilities add up to 1. */
export function createForecastShape({ check }: Pick<Violations, 'check'>): (shown: ShownRecord) => void {
  function checkPrediction(name: string, record: unknown): void {
    const parsed = prediction.safeParse(record);
    if (!parsed.success) return;
    const { market_oracle_counter: oracle, forecast, distribution, markets } = parsed.data;
    const least = oracle ?? 0;
    const isAbove = forecast.p5 >= least && distribution.every(({ count }) => count >= least);
    check(11, areOrdered(forecast) && isAbove, () => `${name}: ${JSON.stringify(forecast)} of ${oracle}`);
    const total = distribution.reduce((sum, { prob }) => sum + prob, 0);
    check(11, Math.abs(total - 1) < EXACT, () => `${name}: the distribution adds up to ${total}`);

    const probs = markets.flatMap(({ model_prob }) => model_prob ?? []);
    const room = markets.length * ROUNDING;
    const sum = probs.reduce((all, prob) => all + prob, 0);
    check(
      11,
      probs.every((prob) => prob >= 0 && prob <= 1) && (sum <= 1 + room || !areTiled(markets)),
      () => `${name}: the buckets have ${probs}`,
    );
    // What the oracle has passed since the forecast is at 0 at once, and the next forecast shares it out.
    const isPassed = markets.some(({ hi }) => hi !== null && hi < least);
    if (probs.length < markets.length || isPassed || markets.at(-1)?.hi !== null || !areTiled(markets))
      return;
    check(11, sum >= 1 - room, () => `${name}: the buckets add up to ${sum}`);
  }

  return ({ channel, key, record }) => {
    const name = `${channel} of ${key}`;
    if (channel === 'prediction') checkPrediction(name, record);
    if (channel !== 'portfolio') return;
    const parsed = portfolio.safeParse(record);
    if (parsed.success)
      check(11, areOrdered(parsed.data.prediction), () => `${name}: ${JSON.stringify(parsed.data)}`);
  };
}
