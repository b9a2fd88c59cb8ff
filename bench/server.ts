import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Router } from '@koa/router';
import Koa from 'koa';
import { createGate } from '../src/access/gate.ts';
import { demoKeys } from '../src/access/keys/key-lookup.ts';
import { createUsageTracking } from '../src/access/usage/tracking.ts';
import { createMetrics } from '../src/observability/metrics.ts';
import { createApp } from '../src/server/app.ts';
import { createHttpServer, HTTP_LIMITS } from '../src/server/http.ts';
import { openOperations } from '../src/service/operations.ts';
import { createShutdown } from '../src/service/shutdown.ts';
import { createLatest } from '../src/views/latest.ts';
import { openPast } from '../src/views/past.ts';
import { accountPath } from '../test/support/accounts.ts';
import { createMemoryStore } from '../test/support/memory-store/memory-store.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  timeline,
} from '../test/support/outputs.ts';
import { type Load, measureInTurns } from './cpu-per-request.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

/**
 * One GET of the counters, answered in several ways by one process, as CPU time per request against bare
 * node:http with a prebuilt Buffer. Rounds are interleaved, so that a busy machine slows all alike.
 * A lower figure of `ready answer` means more work for a body that already exists.
 */

const ROUNDS = 7;
const META = '/api/v1/meta/account_a';

interface Contestant extends Load {
  readonly name: string;
}

export async function benchServer(): Promise<void> {
  const { contestants, close } = await startAll();
  const costsUs = await measureInTurns(contestants, ROUNDS);
  close();
  report(contestants, costsUs);
}

async function startAll() {
  const latest = createLatest();
  const events = [1, 2, 3].flatMap((eventId) => [eventOutput({ eventId }), countersOutput({ eventId })]);
  latest.load([
    ...events,
    ...timeline(100, { text: 'a post of the usual length, '.repeat(5) }),
    freshnessOutput(FRESH_AGES),
  ]);
  const memory = createMemoryStore();
  const report = (error: unknown) => process.emitWarning(String(error));
  const usage = createUsageTracking({ store: memory.usage, now: Date.now, retentionDays: 90, report });
  usage.start();
  const accounts = [accountPath('a')];
  const staleAfterMs = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };
  const closing = createShutdown();
  const operations = openOperations(
    {
      latest,
      accounts,
      metrics: createMetrics(),
      sources: () => [],
      store: () => 'open',
      writesHeldMs: () => 0,
      now: Date.now,
    },
    closing,
  );
  const app = createApp({
    latest,
    past: openPast(memory, latest),
    accounts,
    gate: createGate({ keys: demoKeys(), now: Date.now, limits: { FREE: 1e9, PRO: 1e9, INTERNAL: null } }),
    recorder: usage,
    usage,
    waitlist: memory.waitlist,
    operations,
    now: Date.now,
    staleAfterMs,
    epoch: 'bench',
    positions: { of: async () => [] },
  });
  const server = createHttpServer(app, HTTP_LIMITS);
  const ready = Number(new URL(await server.listen(0, '127.0.0.1')).port);

  const answer = await fetch(`http://127.0.0.1:${ready}${META}`);
  const etag = answer.headers.get('etag') ?? '';
  const text = await answer.text();
  const bare = await listen(bareListener(text));
  const koa = await listen(koaListener(text));
  const ourKoa = await listen(Koa.prototype.callback.call(app));

  const get = (path: string, ...headers: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
  const contestants: readonly Contestant[] = [
    { name: 'bare node:http, prebuilt Buffer', port: bare.port, head: get(META) },
    { name: 'ready answer', port: ready, head: get(META) },
    { name: 'ready answer, 304', port: ready, head: get(META, `If-None-Match: ${etag}`) },
    {
      name: 'ready answer, 15 posts with a PRO key',
      port: ready,
      head: get(`${META}/tweets`, 'X-API-Key: demo_pro'),
    },
    { name: 'the same endpoint through Koa', port: ourKoa.port, head: get(META) },
    { name: 'plain Koa and router, object body', port: koa.port, head: get(META) },
  ];
  return {
    contestants,
    close() {
      for (const { close } of [bare, koa, ourKoa]) close();
      void usage.stop();
      void server.drain({ noticeMs: 0, deadlineMs: 0 }).then(closing.run);
    },
  };
}

function bareListener(text: string): RequestListener {
  const body = Buffer.from(text);
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  return (_req, res) => {
    res.writeHead(200, headers);
    res.end(body);
  };
}

function koaListener(text: string): RequestListener {
  const { data } = JSON.parse(text);
  const router = new Router();
  router.get(META, (ctx) => {
    ctx.body = { timestamp: Date.now(), data };
  });
  return new Koa().use(router.routes()).use(router.allowedMethods()).callback();
}

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}

function report(contestants: readonly Contestant[], costs: readonly (readonly number[])[]): void {
  const [base = []] = costs;
  for (const [place, { name }] of contestants.entries()) {
    const costsUs = costs[place] ?? [];
    const ratios = costsUs.map((costUs, round) => (base[round] ?? Number.NaN) / costUs);
    const [low, mid, high] = [0, 50, 100].map((rank) => rankOf(ratios, rank).toFixed(2));
    print(
      `GET of counters: ${name}`,
      `${mid} of bare`,
      `${low} to ${high}, ${median(costsUs).toFixed(1)} us of CPU a request`,
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchServer();
