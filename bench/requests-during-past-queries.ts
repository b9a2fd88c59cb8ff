import { fileURLToPath } from 'node:url';
import { createLatest } from '../src/views/latest.ts';
import { openPast } from '../src/views/past.ts';
import { HOUR_MS, KEPT_STREAMS, type Observation, type Output } from '../streams/internal.ts';
import { start } from '../test/server/start.ts';
import { FRESH_AGES, freshnessOutput, predictedBucket, predictionOutput } from '../test/support/outputs.ts';
import { fill, withStore } from './filled-store.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';
import { compareWithAndWithout, measureWithAndWithout, startSteadyGenerator } from './steady-load.ts';

const START_AT = Date.UTC(2026, 0, 5);
const HOURS = 6;
const ROUNDS = 15;
const SPAN_MS = 2_000;
const REQUESTS_PER_SECOND = 1_000;
const PAST_PER_SECOND = 10;
const FORECAST_SECONDS = 30;
const EVENT_IDS = [1, 3, 5];
const BUCKETS = 26;

/**
 * How requests with `as_of` slow down those for the latest values: p99 of a GET at a steady rate, in spans without and
 * with ten such requests a second, in turns. No two ask for the same instant, so no answer serves another. A regression
 * means that readers of the past slow down all others.
 */
export async function benchRequestsDuringPastQueries(): Promise<void> {
  await withStore(async (store) => {
    const endAt = START_AT + HOURS * HOUR_MS;
    const seq = await fill(store, { startAt: START_AT, seconds: HOURS * 3_600 }, 1, forecastsAt);
    const latest = createLatest();
    latest.load([
      ...KEPT_STREAMS.flatMap((stream) => store.outputs.latest(stream)),
      freshnessOutput(FRESH_AGES, { seq, at: endAt }),
    ]);
    const server = await start({ deps: { latest, past: openPast(store, latest), now: () => endAt } });
    const port = Number(new URL(server.url).port);
    const [hot, past] = [await startSteadyGenerator(), await startSteadyGenerator()];
    const now = { port, paths: ['/api/v1/meta/account_a'], perSecond: REQUESTS_PER_SECOND, ms: SPAN_MS };
    const then: number[] = [];
    const paths = pathsOfThePast();
    const askThePast = async () => {
      const asked = paths.splice(0, (PAST_PER_SECOND * SPAN_MS) / 1_000);
      then.push(...(await past.run({ port, paths: asked, perSecond: PAST_PER_SECOND, ms: SPAN_MS })));
    };
    const spans = await measureWithAndWithout(ROUNDS, async () => rankOf(await hot.run(now), 99), askThePast);
    hot.stop();
    past.stop();
    await server.stop();
    print(
      'p99 of a GET, without requests for the past',
      `${median(spans.idle).toFixed(2)} ms`,
      `at ${REQUESTS_PER_SECOND}/s`,
    );
    print(
      `  with ${PAST_PER_SECOND} requests with as_of a second`,
      `${median(spans.busy).toFixed(2)} ms`,
      `these take ${median(then).toFixed(1)} ms, p99 ${rankOf(then, 99).toFixed(1)} ms`,
    );
    compareWithAndWithout(spans);
  });
}

function forecastsAt({ seq, receivedAt: at, fact }: Observation): readonly Output[] {
  const second = (at - START_AT) / 1_000;
  if (fact.kind !== 'tick' || second % FORECAST_SECONDS !== 0) return [];
  const buckets = Array.from({ length: BUCKETS }, (_, index) =>
    predictedBucket({ lo: index * 20, hi: index === BUCKETS - 1 ? null : index * 20 + 19 }),
  );
  return EVENT_IDS.map((eventId) =>
    predictionOutput({ eventId, forecastId: `${eventId}-${seq}`, madeAt: at, buckets }, { seq, at }),
  );
}

/** Anywhere after the first hour, forecasts and counters by turns. */
function pathsOfThePast(): string[] {
  const count = (PAST_PER_SECOND * SPAN_MS * (ROUNDS + 1)) / 1_000;
  const spanMs = (HOURS - 1) * HOUR_MS;
  return Array.from({ length: count }, (_, n) => {
    const at = START_AT + HOUR_MS + ((n * 7_919_113) % spanMs);
    return `/api/v1/${n % 2 === 0 ? 'prediction' : 'meta'}/account_a?as_of=${at}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchRequestsDuringPastQueries();
