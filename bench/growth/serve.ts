import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { proxiesOf } from '../../src/access/client-address.ts';
import { parseConfig } from '../../src/config/config.ts';
import { type Feed, openFeed } from '../../src/feed/feed.ts';
import { CONNECTION_TIMES } from '../../src/feed/transport/websockets.ts';
import { internalError, refusal } from '../../src/server/error-answer.ts';
import { API_HEADERS } from '../../src/server/headers.ts';
import type { Store } from '../../src/store/store.ts';
import type { LatestWriter } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import { start } from '../../test/server/start.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startSteadyGenerator } from '../steady-load.ts';
import { accountIds, accountOf, deliveriesOf, type Step } from './accounts.ts';

const FIRST = 'a';
const REQUESTS_PER_SECOND = 200;
const PATHS = ['/api/v1/meta/account_a', '/api/v1/prediction/account_a', '/api/v1/signals/account_a'];

/** In ms. */
export interface Latencies {
  readonly requests: readonly number[];
  /** From a delivery about account `a`, or a tick, until a reader of all its channels has a frame that it caused. */
  readonly frames: readonly number[];
}

interface ServeParts {
  readonly store: Store;
  readonly latest: LatestWriter;
  readonly accounts: number;
  /** Time of the log, UTC ms. */
  readonly now: () => number;
  readonly accept: (step: Step) => Promise<void>;
}

/**
 * Serves readers of account `a` while the steps are taken, one each second, as the sources of the program deliver them. What
 * is measured begins after the seconds of the warm-up.
 */
export async function serveSteps(
  parts: ServeParts,
  steps: readonly Step[],
  warmUpSeconds: number,
): Promise<Latencies> {
  const { store, latest, now, accept } = parts;
  const { accounts } = parseConfig({ flags: { accounts: String(parts.accounts) }, env: {} });
  let feed: Feed | undefined;
  const server = await start({
    deps: { latest, accounts, now, past: openPast(store, latest) },
    feed: ({ gate, staleAfterMs }) => {
      feed = openFeed({
        latest,
        accounts,
        gate,
        now,
        staleAfterMs,
        window: store.feed,
        outputs: store.outputs,
        proxies: proxiesOf([]),
        limits: {
          connections: 100,
          perAddress: 100,
          perKey: 100,
          connectsPerMinute: 1_000,
          replayBytesPerMinute: Number.MAX_SAFE_INTEGER,
        },
        times: CONNECTION_TIMES,
        mono: () => performance.now(),
        headers: API_HEADERS,
        answerTo: (error) => refusal(error) ?? internalError(),
        report: (error) => process.emitWarning(String(error)),
      });
      return feed;
    },
  });
  // A start has more to publish with more accounts; what is measured is what readers notice of them at any time.
  await eventually('the feed has caught up', () => feed?.figures().isCatchingUp === false);
  const frames: number[] = [];
  let begunAt = Number.NaN;
  const reader = await connect(server.url, () => {
    frames.push(performance.now() - begunAt);
    begunAt = Number.NaN;
  });
  const generator = await startSteadyGenerator();
  const port = Number(new URL(server.url).port);
  const load = { port, paths: PATHS, perSecond: REQUESTS_PER_SECOND };
  const servedMs = (steps.length - warmUpSeconds) * 1_000;
  const asked = generator
    .run({ ...load, ms: warmUpSeconds * 1_000 })
    .then(() => generator.run({ ...load, ms: servedMs }));
  const startedAt = performance.now();
  let second = 0;
  const ids = accountIds(parts.accounts);
  const accepted: Promise<void>[] = [];
  for (const step of steps) {
    if (second === warmUpSeconds) frames.length = 0;
    const secondAt = startedAt + 1_000 * second++;
    for (const delivery of deliveriesOf(step, ids)) {
      const dueAt = secondAt + delivery.afterMs;
      await delay(Math.max(0, dueAt - performance.now()));
      // From when it was due: a process that is late is not to look fast.
      if (delivery.facts.some((fact) => (accountOf(fact) ?? FIRST) === FIRST)) begunAt = dueAt;
      accepted.push(accept(delivery));
    }
  }
  await Promise.all(accepted);
  const requests = await asked;
  generator.stop();
  reader.terminate();
  await server.stop();
  return { requests, frames: frames.filter((ms) => !Number.isNaN(ms)) };
}

async function connect(url: string, onUpdate: () => void): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, {
    headers: { 'X-API-Key': 'demo_pro' },
  });
  await once(socket, 'open');
  const channels = ['prediction', 'signals'].map((channel) => ({ channel, account: 'account_a' }));
  socket.send(JSON.stringify({ op: 'subscribe', channels }));
  socket.on('message', (data: Buffer) => {
    if (data.toString('utf8', 0, 24).startsWith('{"type":"update"')) onUpdate();
  });
  return socket;
}
