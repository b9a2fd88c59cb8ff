import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Output } from '../../streams/internal.ts';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import type { Gate } from '../access/gate.ts';
import { RequestError } from '../errors.ts';
import type { FeedFigures } from '../observability/feed-metrics.ts';
import type { Outputs, StoredFrames } from '../store/store.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { AgeLimits } from '../views/as-of.ts';
import type { Latest, OutputOf } from '../views/latest.ts';
import { topicsOf } from './channels.ts';
import { createReading } from './delivery/delivery.ts';
import { createFanOut, type FanOut } from './delivery/fan-out.ts';
import { heartbeatText } from './delivery/heartbeat.ts';
import { createSubscriptions } from './delivery/subscriptions.ts';
import { createChanges } from './log/changes.ts';
import { openFrameLog } from './log/frame-log.ts';
import { createRecords } from './log/topic-records.ts';
import { createAdmission, type FeedLimits } from './transport/admission.ts';
import { answerTo, isFeed, refuseUpgrade } from './transport/http.ts';
import { createSockets, SOCKET_TIMES, type SocketTimes } from './transport/sockets.ts';
import { createEventStreams } from './transport/sse.ts';

export interface FeedDeps {
  readonly latest: Latest;
  readonly window: StoredFrames;
  readonly outputs: Pick<Outputs, 'read'>;
  readonly accounts: readonly AccountPath[];
  readonly gate: Gate;
  readonly proxies: Proxies;
  readonly limits: FeedLimits;
  readonly staleAfterMs: AgeLimits;
  /** UTC ms. */
  readonly now: () => number;
  /** Ms that never go back. */
  readonly mono: () => number;
  readonly times?: SocketTimes;
  /** Told of what is no reader's fault. */
  readonly report: (error: unknown) => void;
}

export interface Feed {
  readonly epoch: string;
  figures(): FeedFigures;
  /** Takes a request for an event stream, and returns false for any other. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  /** Takes a request for a WebSocket to the feed, and returns false for any other. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Takes nobody more. */
  beginDrain(): void;
  /** Says goodbye, and resolves when all are gone and all that was told is on disk. */
  close(): Promise<void>;
}

/** Opens the push feed over the latest values, which are loaded. From here on it follows them. */
export function openFeed(deps: FeedDeps): Feed {
  const { latest, accounts, report } = deps;
  const topics = topicsOf(accounts);
  const records = createRecords(deps);
  const closed = new Map<number, number>();
  let sent = 0;
  let merged = 0;
  let isClosing = false;

  const heartbeat = topics.find(({ channel }) => channel.name === 'heartbeat');
  let fanOut: FanOut | undefined;
  const log = openFrameLog({
    ...deps,
    topics,
    publish: (state, frames) => fanOut?.send(state, frames),
    beat(tick) {
      if (heartbeat) fanOut?.sendPassing(log.state(heartbeat), heartbeatText(log, tick, accounts));
    },
  });
  const reading = createReading({
    log,
    records,
    sent(count) {
      sent += count;
    },
    merged(count) {
      merged += count;
    },
  });
  fanOut = createFanOut(log.epoch, reading);
  const subscriptions = createSubscriptions({ topics, log, fanOut });
  const admission = createAdmission(deps.limits, deps.mono);
  const common = {
    ...deps,
    log,
    reading,
    subscriptions,
    admission,
    closed: (code: number) => void closed.set(code, (closed.get(code) ?? 0) + 1),
  };
  const sockets = createSockets({ times: SOCKET_TIMES, ...common });
  const streams = createEventStreams(common);

  const changes = createChanges({ latest, topics, records, log });
  changes.catchUp(missedPosts(deps.outputs, log.numberedUpTo));
  const following = latest.change$.subscribe((outputs: readonly Output[]) => {
    // Whatever goes wrong here must not hold up the engine, which tells of its changes one after the other.
    try {
      changes.follow(outputs);
    } catch (error) {
      report(error);
    }
  });

  /** Lets the address in until `way` closes, or throws. */
  function enter(req: IncomingMessage, way: Duplex | ServerResponse): void {
    if (isClosing) throw new RequestError(503, 'stopping', 'The service stops', { 'Retry-After': '5' });
    const address = clientAddressOf(req, deps.proxies);
    admission.enter(address);
    way.once('close', () => admission.leave(address));
  }

  return {
    epoch: log.epoch,
    figures: () => ({
      connections: admission.connections,
      unsentBytes: sockets.unsentBytes() + streams.unsentBytes(),
      sent,
      merged,
      closed,
    }),

    handle(req, res) {
      const wantsStream = (req.headers.accept ?? '').includes('text/event-stream');
      if (req.method !== 'GET' || !wantsStream || !isFeed(req)) return false;
      try {
        enter(req, res);
        streams.open(req, res);
      } catch (error) {
        const { status, headers, body } = answerTo(error, report);
        res.writeHead(status, headers).end(body);
      }
      return true;
    },

    upgrade(req, socket, head) {
      if (req.headers.upgrade?.toLowerCase() !== 'websocket' || !isFeed(req)) return false;
      try {
        enter(req, socket);
        sockets.accept(req, socket, head);
      } catch (error) {
        refuseUpgrade(socket, answerTo(error, report));
      }
      return true;
    },

    beginDrain() {
      isClosing = true;
    },

    async close() {
      isClosing = true;
      following.unsubscribe();
      streams.close();
      await sockets.close();
      await log.stop();
    },
  };
}

/** What was published but not told before the process ended. */
function* missedPosts(
  outputs: Pick<Outputs, 'read'>,
  toldUpTo: number | undefined,
): Iterable<OutputOf<'posts'>> {
  if (toldUpTo === undefined) return;
  // Kept by the store as the text of what it was given.
  for (const { json } of outputs.read('posts', toldUpTo + 1)) yield JSON.parse(json) as OutputOf<'posts'>;
}
