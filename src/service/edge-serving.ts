import type { IncomingMessage, ServerResponse } from 'node:http';
import { proxiesOf } from '../access/client-address.ts';
import type { Bus } from '../bus/bus.ts';
import { realTime } from '../bus/time.ts';
import { createRemoteRules } from '../cluster/commands/remote-rules.ts';
import type { EdgeShards } from '../cluster/edge/edge-shards.ts';
import type { JoinedShards } from '../cluster/edge/joined-shards.ts';
import { lagOf } from '../cluster/edge/members.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { openFollowingFeed } from '../feed/feed.ts';
import { createMetrics } from '../observability/metrics.ts';
import { createApp } from '../server/app.ts';
import { internalError, refusal } from '../server/error-answer.ts';
import type { Forward } from '../server/forwarded.ts';
import { API_HEADERS } from '../server/headers.ts';
import type { FeedConnections, HttpServer } from '../server/http.ts';
import type { Operations } from '../server/operations.ts';
import { createOperatorApp } from '../server/operator-app.ts';
import { reportBugs } from '../server/report-bugs.ts';
import type { EdgeAccess } from './edge-access.ts';
import type { Logger } from './logger.ts';
import type { Machine } from './machine.ts';
import { openOperations } from './operations.ts';
import { createShutdown } from './shutdown.ts';
import { marketPagesOf } from './upstream.ts';

/** An edge that is further behind its engines is not ready. */
const READY_WITHIN_MS = 5_000;
/** A write takes milliseconds. One that takes this long is held by the disk. */
const SLOW_WRITE_MS = 5_000;

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;

/** What an edge serves of the shards that it knows, until these change. */
export interface EdgeServing {
  readonly handle: Handler;
  readonly handleOperator: Handler;
  readonly feed: FeedConnections | undefined;
  beginDrain(): void;
  /** Says goodbye to the readers of the feed, and follows the shards no more. */
  close(): Promise<void>;
}

interface ServingDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly access: EdgeAccess;
  readonly joined: JoinedShards;
  readonly shards: EdgeShards;
  readonly newId: Machine['newId'];
  readonly http: Pick<HttpServer, 'unsent'>;
}

export function serveShards(deps: ServingDeps): EdgeServing {
  const { config, log, clock, bus, joined, shards } = deps;
  const { gate, callers, isDemo } = deps.access;
  const { latest, accounts, staleAfterMs } = joined;
  const closing = createShutdown();
  closing.add(async () => joined.close());
  const proxies = proxiesOf(config.trustedProxies);
  const metrics = createMetrics({ now: clock.wall });
  metrics.watchEdge(() => ({
    isConnected: bus.isConnected(),
    shards: shards.list().map(({ name, cache, following }) => ({
      name,
      place: cache.place,
      behindMs: following.caughtUpAt === undefined ? null : realTime.mono() - following.caughtUpAt,
    })),
  }));
  metrics.watchUnsent(deps.http.unsent);
  const writesHeldMs = () => {
    const ms = Math.max(...shards.list().map(({ cache }) => cache.store.unfinishedWriteMs()));
    return ms > SLOW_WRITE_MS ? ms : 0;
  };
  const operations = withLag(
    openOperations(
      {
        latest,
        accounts,
        metrics,
        sources: () => [],
        store: () => (writesHeldMs() > 0 ? 'read_only' : 'open'),
        writesHeldMs,
        now: clock.wall,
      },
      closing,
    ),
    shards,
  );

  const forward: Forward = (path, call, tier) => callers.forward(shardOf(path), path, call, tier);
  function shardOf(path: string): string {
    for (const part of path.split('/')) {
      const shard = joined.shardOf(part);
      if (shard !== undefined) return shard;
    }
    return callers.shard;
  }

  const rules = createRemoteRules({
    ask: callers.ask,
    newId: deps.newId,
    shards: joined.shards,
    accounts,
    shardOf: joined.shardOf,
  });

  const app = createApp({
    latest,
    past: FORWARDED.past,
    accounts,
    gate,
    paidAccess: callers.payments && { payments: callers.payments, proxies },
    recorder: callers.recorder,
    usage: FORWARDED.usage,
    waitlist: callers.waitlist,
    rules: () => rules,
    operations,
    now: clock.wall,
    staleAfterMs,
    epoch: bus.epoch,
    areTagsShared: true,
    hasFeed: config.feed !== null,
    hasMetrics: config.metrics === null,
    isDemo,
    marketPages: marketPagesOf(config.world),
    positions: FORWARDED.positions,
    forward,
  });
  const report = (error: unknown) => log.error({ err: error }, 'a request failed');
  reportBugs(app, report);
  closing.add(async () => app.close());
  const feed =
    config.feed &&
    openFollowingFeed({
      latest,
      topics: joined.topics,
      frames: joined.frames,
      accounts,
      gate,
      proxies,
      limits: config.feed,
      staleAfterMs,
      now: clock.wall,
      mono: clock.mono,
      headers: API_HEADERS,
      answerTo: (error) => refusal(error) ?? internalError(),
      report: (error) => log.error({ err: error }, 'the feed failed'),
    });
  let feedClosed: Promise<void> | undefined;
  const connections = feed && {
    ...feed,
    close() {
      feedClosed ??= feed.close();
      return feedClosed;
    },
  };
  if (feed) metrics.watchFeed(feed.figures);
  if (connections) closing.add(connections.close);
  const serve = app.callback();
  const serveOperator = createOperatorApp(operations, report).callback();
  return {
    handle: (req, res) => serve(req, res),
    handleOperator: (req, res) => serveOperator(req, res),
    feed: connections ?? undefined,
    beginDrain: () => app.beginDrain(),
    close: closing.run,
  };
}

/** A machine that is behind serves what it has, says so, and is not ready. */
function withLag(operations: Operations, shards: EdgeShards): Operations {
  const behindMs = () => lagOf(shards, realTime.mono()) ?? Number.POSITIVE_INFINITY;
  const unready = () => {
    const ms = behindMs();
    if (ms <= READY_WITHIN_MS) return undefined;
    return Number.isFinite(ms)
      ? `nothing is known of what the engines have done for ${Math.round(ms / 1_000)} s`
      : 'what the engines have done is being read';
  };
  return {
    ...operations,
    unready,
    isReady: () => unready() === undefined && operations.isReady(),
    health() {
      const health = operations.health();
      const ms = behindMs();
      if (ms <= READY_WITHIN_MS) return health;
      const status = health.status === 'unavailable' ? health.status : 'degraded';
      return { ...health, status, ...(Number.isFinite(ms) && { behind_ms: Math.round(ms) }) };
    },
  };
}

/** An engine answers these calls, so that nothing here is ever asked. */
const FORWARDED = {
  past: {
    fromAt: forwardedAway,
    seqAt: forwardedAway,
    of: forwardedAway,
    posts: forwardedAway,
    minutes: forwardedAway,
  },
  usage: { sum: forwardedAway, errors: forwardedAway, stats: forwardedAway },
  positions: { of: forwardedAway },
};

function forwardedAway(): never {
  throw new TypeError('an edge has this answered by an engine');
}
