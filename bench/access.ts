import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGate, type Gate } from '../src/access/gate.ts';
import { openKeyRegistry } from '../src/access/keys/key-registry.ts';
import { startQuotaPersistence } from '../src/access/limits/quota-persistence.ts';
import { createQuotas } from '../src/access/limits/quotas.ts';
import { createUsageTracking } from '../src/access/usage/tracking.ts';
import { systemClock } from '../src/engine/clock.ts';
import { createMetrics } from '../src/observability/metrics.ts';
import type { Answer, Endpoint } from '../src/server/answer.ts';
import { App } from '../src/server/app.ts';
import { createHttpServer } from '../src/server/http.ts';
import { createReadyAnswers } from '../src/server/ready-answers.ts';
import { createRequestProtocol } from '../src/server/request-protocol.ts';
import { metaEndpoint } from '../src/server/routes/record-endpoints.ts';
import { tagsOfProcess } from '../src/server/tags.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import { createWatcher } from '../src/views/watch.ts';
import { type Running, start } from '../test/server/start.ts';
import { accountPath } from '../test/support/accounts.ts';
import { countersOutput, eventOutput, FRESH_AGES, freshnessOutput } from '../test/support/outputs.ts';
import { measureInTurns } from './cpu-per-request.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

const ROUNDS = 24;
const META = '/api/v1/meta/account_a';

/**
 * The cost of key, limit, usage and ETag, stored as in a running engine: CPU time per GET of the counters, compared with
 * the same route without any of them. Rounds are interleaved. A higher figure means that every request does more work.
 */
export async function benchAccess(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-access-'));
  const store = await openStore(folder);
  const report = (error: unknown) => process.emitWarning(String(error));
  const registry = openKeyRegistry(store.keys, Date.now);
  const quotas = createQuotas();
  const persistence = startQuotaPersistence({
    quotas,
    calls: store.calls,
    keys: registry,
    now: Date.now,
    wall: Date.now,
    sinceBoot: systemClock.sinceBoot,
    report,
  });
  const usage = createUsageTracking({ store: store.usage, now: Date.now, retentionDays: 90, report });
  usage.start();
  const { key } = await registry.create({ tier: 'PRO', name: '', limit: 1_000_000_000 });
  const events = [1, 2, 3].flatMap((eventId) => [eventOutput({ eventId }), countersOutput({ eventId })]);
  const loaded = [...events, freshnessOutput(FRESH_AGES)];
  const gate = createGate({ keys: registry, now: Date.now, quotas });
  const full = await start({ loaded, deps: { gate, recorder: usage } });
  const bare = await startBare(full);
  // Two without: the difference between them is noise.
  const again = await startBare(full);

  // All get the same requests, since parsing them costs the same.
  const lines = [`GET ${META} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${key}`, 'If-None-Match: W/"old"'];
  const head = [...lines, '', ''].join('\r\n');
  const ports = [bare.port, again.port, Number(new URL(full.url).port)];
  const costsUs = await measureInTurns(
    ports.map((port) => ({ port, head })),
    ROUNDS,
  );
  await Promise.all([bare.stop(), again.stop(), full.stop(), usage.stop(), persistence.stop()]);
  await store.close();
  rmSync(folder, { recursive: true });

  const [first = [], second = [], whole = []] = costsUs;
  const ratios = whole.map((costUs, round) => (2 * costUs) / ((first[round] ?? 0) + (second[round] ?? 0)));
  const noise = second.map((costUs, round) => costUs / (first[round] ?? Number.NaN));
  print(
    'GET of counters with key, limit, usage and ETag, against without',
    `${percent(median(ratios))} more`,
    `goal 15 %; ${median(whole).toFixed(1)} us, quartiles ${percent(rankOf(ratios, 25))} and ${percent(rankOf(ratios, 75))}, noise ${percent(median(noise))}`,
  );
}

const OPEN_GATE: Gate = {
  identify: () => ({
    tier: 'FREE',
    keyId: null,
    hour: undefined,
    policy: undefined,
    share: undefined,
    atMs: 0,
  }),
  share: () => undefined,
  admit: () => undefined,
  settle: () => [],
};

/** The same endpoint over the same values, for anyone, uncounted and without a tag. */
async function startBare({ app, latest }: Running) {
  const account = accountPath('a');
  const deps = {
    latest,
    watcher: createWatcher(latest),
    accounts: [account],
    now: Date.now,
    staleAfterMs: { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 },
    tagOf: tagsOfProcess('bare'),
  };
  const endpoints = [metaEndpoint(deps, account)];
  const protocol = createRequestProtocol({
    gate: OPEN_GATE,
    requestServed: createMetrics().requestServed,
    recorder: { record: () => undefined },
    report: (error) => process.emitWarning(String(error)),
  });
  const readyAnswers = createReadyAnswers(protocol, endpoints.map(withoutTag));
  const server = createHttpServer(
    new App({
      readyAnswers,
      endpoints: [],
      answerForwarded: () => Promise.reject(new TypeError('nothing is forwarded')),
      close: app.close,
    }),
  );
  const url = await server.listen(0, '127.0.0.1');
  const stop = async () => void server.server.close();
  return { port: Number(new URL(url).port), stop };
}

function withoutTag(endpoint: Endpoint): Endpoint {
  let tagged: Answer['headers'] = {};
  let headers: Answer['headers'] = {};
  return {
    ...endpoint,
    answer(call, tier) {
      const answer = endpoint.answer(call, tier);
      if (answer.headers !== tagged) {
        tagged = answer.headers;
        const { ETag: _, ...rest } = tagged;
        headers = rest;
      }
      return { ...answer, headers };
    },
  };
}

const percent = (ratio: number) => `${(100 * (ratio - 1)).toFixed(1)} %`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchAccess();
