import assert from 'node:assert/strict';
import { createMetrics } from '../../src/observability/metrics.ts';
import { processMetrics } from '../../src/observability/process-metrics.ts';
import { agesNow } from '../../src/views/as-of.ts';
import { createLatest } from '../../src/views/latest.ts';
import { start } from '../server/start.ts';
import { freshnessOutput, lagOutput, NOON, postOutput } from '../support/outputs.ts';

/** Every sample by its name and labels. Fails on a line that is neither a sample nor a comment. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) \w+ ./.test(line)) continue;
    const [, name, value] =
      /^([a-z_]\w*(?:\{(?:\w+="[^"]*",?)*\})?) ([-+.\deE]+|[Nn]a[Nn]|[+-]Inf)$/.exec(line) ??
      assert.fail(line);
    assert.ok(name !== undefined && !samples.has(name), line);
    samples.set(name, Number(value));
  }
  return samples;
}

describe('createMetrics', () => {
  it('tells the figures of the process, whoever asks, and once each', async () => {
    for (const metrics of [createMetrics(), createMetrics()]) {
      const text = await metrics.text();
      const told = [...text.matchAll(/^# TYPE ((?:process|nodejs)_\S+)/gm)].map(([, name]) => name);
      assert.ok(told.includes('process_resident_memory_bytes'));
      assert.ok(told.includes('nodejs_eventloop_lag_p99_seconds'));
      assert.equal(new Set(told).size, told.length);
    }
    assert.equal(processMetrics(), processMetrics());
  });

  it('shows how long commits took', async () => {
    const metrics = createMetrics();
    metrics.journalCommitted(3);
    metrics.journalCommitted(7);
    metrics.outputsCommitted(2_000);
    metrics.delivered(20);
    const samples = samplesOf(await metrics.text());
    assert.equal(samples.get('tallywire_journal_commit_seconds_count'), 2);
    assert.equal(samples.get('tallywire_journal_commit_seconds_bucket{le="0.005"}'), 1);
    assert.equal(samples.get('tallywire_output_commit_seconds_sum'), 2);
    assert.equal(samples.get('tallywire_delivery_seconds_sum'), 0.02);
  });

  it('reads the sources again at each scrape', async () => {
    const metrics = createMetrics();
    let restarts = 1;
    metrics.watchSources(() => [
      { name: 'posts:a', state: 'open', restarts, refused: 4, refusedAt: null, lastError: null },
    ]);
    restarts = 2;
    const samples = samplesOf(await metrics.text());
    assert.equal(samples.get('tallywire_source_restarts{source="posts:a"}'), 2);
    assert.equal(samples.get('tallywire_source_refused_payloads{source="posts:a"}'), 4);
    assert.equal(samples.get('tallywire_source_state{source="posts:a",state="open"}'), 1);
    assert.equal(samples.get('tallywire_source_state{source="posts:a",state="running"}'), 0);
  });

  it('shows what the posts API is asked for, what is left of its limits, and what a day costs', async () => {
    let nowMs = NOON;
    const metrics = createMetrics({ usdPer1000Reads: 5, now: () => nowMs });
    const timeline = { request: 'timeline', reads: 300, quota: { limit: 10_000, remaining: 9_100 } } as const;
    metrics.apiUsed('posts:a', timeline);
    nowMs += 23 * 3_600_000;
    metrics.apiUsed('posts:a', { ...timeline, reads: 0, quota: null });
    metrics.apiUsed('deletions:b', { request: 'lookup', reads: 100, quota: { limit: 3_500, remaining: 7 } });
    const samples = samplesOf(await metrics.text());
    const figure = (name: string) => samples.get(`tallywire_posts_api_${name}`);
    assert.equal(figure('requests_total{source="posts:a"}'), 2);
    assert.equal(figure('reads_total{source="posts:a"}'), 300);
    assert.equal(figure('reads_total{source="deletions:b"}'), 100);
    assert.equal(figure('remaining{request="timeline"}'), 9_100);
    assert.equal(figure('limit{request="lookup"}'), 3_500);
    assert.deepEqual([figure('reads_day'), figure('usd_day')], [400, 2]);
    nowMs += 3_600_000;
    const later = samplesOf(await metrics.text());
    assert.deepEqual(
      [later.get('tallywire_posts_api_reads_day'), later.get('tallywire_posts_api_usd_day')],
      [100, 0.5],
    );
  });

  it('shows ages, lags and the delay of posts created since the start', async () => {
    const metrics = createMetrics();
    const latest = createLatest();
    let nowMs = NOON;
    const stop = metrics.watchStreams({ latest, ages: () => agesNow(latest, nowMs), now: () => nowMs });
    const seenAt = NOON + 12_000;
    const outputs = [
      freshnessOutput({ prices: 1_500 }),
      lagOutput(),
      postOutput({ id: '1', createdAt: NOON + 1_000, seenAt }),
      postOutput({ id: '2', createdAt: NOON, seenAt }),
      postOutput({ id: '3', createdAt: NOON + 1_000, seenAt }, { cause: 'post_deleted' }),
    ];
    latest.apply(outputs, 1, NOON);
    stop();
    latest.apply([postOutput({ id: '4', createdAt: NOON + 1, seenAt })], 2, NOON);

    // The tick is 90 s ago, and so are the answers it tells of.
    nowMs += 90_000;
    const samples = samplesOf(await metrics.text());
    assert.equal(samples.get('tallywire_source_age_seconds{source="prices"}'), 91.5);
    assert.equal(samples.get('tallywire_post_lag_seconds{account="a",stage="seen",quantile="0.99"}'), 28.2);
    assert.equal(samples.get('tallywire_post_lag_seconds{account="a",stage="ui",quantile="0.5"}'), undefined);
    assert.equal(samples.get('tallywire_post_seen_delay_seconds_count{account="a"}'), 1);
    assert.equal(samples.get('tallywire_post_seen_delay_seconds_sum{account="a"}'), 11);
  });

  it('counts requests by route and status, on either way, accounts together and unknown paths as one', async () => {
    const running = await start();
    try {
      const paths = ['/api/v1/meta/account_a', '/api/v1/meta/account_b?x=1', '/readyz', '/x', '/y"\n'];
      for (const path of paths) await (await running.get(path)).arrayBuffer();
      const samples = samplesOf(
        await (await running.get('/metrics', { 'X-API-Key': 'demo_internal' })).text(),
      );
      const count = (labels: string) =>
        samples.get(`tallywire_http_request_duration_seconds_count{${labels}}`);
      assert.equal(count('route="/api/v1/meta/{account}",status="200"'), 2);
      assert.equal(count('route="/readyz",status="503"'), 1);
      assert.equal(count('route="unknown",status="404"'), 2);
    } finally {
      await running.stop();
    }
  });

  it('puts each duration under the first bound that holds it', async () => {
    const metrics = createMetrics();
    for (const ms of [0.1, 0.100001, 6_000]) metrics.requestServed('/r', 200, ms);
    const samples = samplesOf(await metrics.text());
    const below = (bound: string) =>
      samples.get(`tallywire_http_request_duration_seconds_bucket{route="/r",status="200",le="${bound}"}`);
    assert.deepEqual(['0.0001', '0.00025', '5', '+Inf'].map(below), [1, 2, 2, 3]);
  });
});
