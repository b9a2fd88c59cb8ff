import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import type { Gate } from '../access/gate.ts';
import { createBudgets } from '../access/limits/budgets.ts';
import { API_PREFIX } from '../contract/api-prefix.ts';
import { RequestError } from '../errors.ts';
import type { Outputs, StoredFrames } from '../store/store.ts';
import { type AccountPath, wireNames } from '../views/account-path.ts';
import type { AgeLimits } from '../views/as-of.ts';
import type { Latest, OutputOf } from '../views/latest.ts';
import { type Topic, topicsOf } from './channels.ts';
import { createDelivery } from './delivery/delivery.ts';
import { createFanOut } from './delivery/fan-out.ts';
import { createHeartbeats } from './delivery/heartbeat.ts';
import { createPlaces } from './delivery/places.ts';
import { createSubscriptions } from './delivery/subscriptions.ts';
import type { FeedCounters, FeedFigures } from './figures.ts';
import { follow } from './follow.ts';
import { createChanges } from './log/changes.ts';
import type { FollowedFrames } from './log/followed-frames.ts';
import { type FrameLogDeps, openFrameLog, type Published, type PublishedFrames } from './log/frame-log.ts';
import { createRecords, type Records } from './log/topic-records.ts';
import { createConnectionLimits, type FeedLimits } from './transport/connection-limits.ts';
import { createEventStreams } from './transport/event-streams.ts';
import {
  CONNECTION_TIMES,
  type ConnectionTimes,
  createWebSockets,
  refuseUpgrade,
} from './transport/websockets.ts';

const PATH = `${API_PREFIX}/feed`;

/** How long a cursor that is ahead of followed frames waits for them. */
const AHEAD_MS = 5_000;

interface ReadersDeps {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly gate: Gate;
  readonly proxies: Proxies;
  readonly limits: FeedLimits;
  readonly staleAfterMs: AgeLimits;
  /** UTC ms. */
  readonly now: () => number;
  /** Ms that never go back. */
  readonly mono: () => number;
  readonly times?: ConnectionTimes;
  /** Headers of every answer of the service. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service's answer to a request that failed. */
  readonly answerTo: (error: unknown) => FeedAnswer;
  /** Receives every error that no reader caused. */
  readonly report: (error: unknown) => void;
}

interface FeedDeps extends ReadersDeps {
  readonly window: StoredFrames;
  readonly outputs: Pick<Outputs, 'read'>;
  /** What is the same on every machine of a cluster; absent without one. */
  readonly cluster?: Pick<FrameLogDeps, 'epoch' | 'share'> | undefined;
  readonly newEpoch?: FrameLogDeps['newEpoch'];
  readonly broken?: FrameLogDeps['broken'];
}

interface FollowingFeedDeps extends ReadersDeps {
  readonly topics: readonly Topic[];
  readonly frames: FollowedFrames;
}

interface FeedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Feed {
  readonly epoch: string;
  figures(): FeedFigures;
  /** Handles a request for an event stream; returns false for any other request. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  /** Handles a request for a WebSocket to the feed; returns false for any other request. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Accepts no new readers from now on. */
  beginDrain(): void;
  /** Sends a goodbye, and resolves when all readers are gone and all frames are on disk. */
  close(): Promise<void>;
}

/** Opens the push feed, which follows the latest values. They have to be loaded before. */
export function openFeed(deps: FeedDeps): Feed {
  const { latest, report } = deps;
  const topics = topicsOf(deps.accounts);
  const records = createRecords(deps);
  const log = openFrameLog({ ...deps, ...deps.cluster, topics });
  const readers = serveFrames(deps, { topics, log, records, aheadMs: 0 });
  const { isFollowed } = readers;
  const changes = createChanges({ latest, topics, records, log, isFollowed, report });
  changes.catchUp(postsAfter(deps.outputs, log.numberedUpTo));
  const following = follow(latest.change$, changes.follow, report);
  return {
    ...readers,
    figures: () => ({ ...readers.figures(), isCatchingUp: changes.isCatchingUp }),
    async close() {
      following.unsubscribe();
      await changes.settled();
      await readers.close();
      await log.stop();
    },
  };
}

/** Opens the push feed with frames that another process makes of the same values. */
export function openFollowingFeed(deps: FollowingFeedDeps): Feed {
  const { topics, frames } = deps;
  const records = createRecords(deps);
  const readers = serveFrames(deps, { topics, log: frames, records, aheadMs: AHEAD_MS });
  // The process that makes the frames does not know what a snapshot said here.
  const correct = ({ type }: Published) => {
    if (type === 'second') readers.sendAgain(records.takeNoLongerLate().map(({ topic }) => topic));
  };
  follow(frames.frame$, correct, deps.report);
  return {
    ...readers,
    async close() {
      await readers.close();
      frames.stop();
    },
  };
}

interface ServedFrames {
  readonly topics: readonly Topic[];
  readonly log: PublishedFrames;
  readonly records: Records;
  readonly aheadMs: number;
}

interface Readers extends Feed {
  /** Whether somebody reads a topic now. */
  isFollowed(topic: Topic): boolean;
  /** Sends those who read these topics a new snapshot. */
  sendAgain(topics: readonly Topic[]): void;
}

function serveFrames(deps: ReadersDeps, { topics, log, records, aheadMs }: ServedFrames): Readers {
  const { latest, accounts, proxies, times = CONNECTION_TIMES, report } = deps;
  const wireName = wireNames(accounts);
  const counters: FeedCounters = { sent: 0, merged: 0, replayedBytes: 0, closed: new Map() };
  const budgets = createBudgets(deps.limits.replayBytesPerMinute);
  const places = createPlaces();
  const delivery = createDelivery({ ...deps, log, records, places, counters, budgets });
  const fanOut = createFanOut(log.epoch, delivery);
  const { catchUp } = delivery;
  const subscriptions = createSubscriptions({ topics, log, fanOut, places, aheadMs, catchUp });
  const connectionLimits = createConnectionLimits(deps.limits, deps.mono);
  const transport = { ...deps, log, delivery, subscriptions, connectionLimits, counters, times };
  const webSockets = createWebSockets(transport);
  const eventStreams = createEventStreams(transport);
  const heartbeatsAt = createHeartbeats({ log, latest, accounts, wireName }, topics);
  let isClosing = false;

  function fanOutPublished(published: Published): void {
    if (published.type === 'frames') {
      fanOut.send(published.state, published.frames);
      return;
    }
    const { tick, covers = () => true } = published;
    for (const { state, text } of heartbeatsAt(tick)) {
      if (covers(state.topic)) fanOut.sendUnnumbered(state, text);
    }
  }

  follow(log.frame$, fanOutPublished, report);

  /** Counts the connection until it closes, and returns its address. Throws a RequestError when there are too many. */
  function countConnection(req: IncomingMessage, connection: Duplex | ServerResponse): string {
    if (isClosing) throw new RequestError(503, 'stopping', 'The service stops', { 'Retry-After': '5' });
    const address = clientAddressOf(req, proxies);
    connection.on('close', connectionLimits.open(address));
    return address;
  }

  function answerTo(error: unknown): FeedAnswer {
    if (!(error instanceof RequestError)) report(error);
    return deps.answerTo(error);
  }

  return {
    epoch: log.epoch,
    isFollowed: (topic) => fanOut.isFollowed(log.state(topic)),
    sendAgain(again) {
      for (const topic of new Set(again)) delivery.sendAgain(fanOut.subscribers(log.state(topic)));
    },
    figures: () => ({
      ...counters,
      waiting: delivery.waiting,
      isCatchingUp: false,
      connections: connectionLimits.connections,
      unsentBytes: webSockets.unsentBytes() + eventStreams.unsentBytes(),
    }),

    handle(req, res) {
      const wantsStream = (req.headers.accept ?? '').includes('text/event-stream');
      if (req.method !== 'GET' || !wantsStream || !isFeed(req)) return false;
      try {
        eventStreams.open(req, res, countConnection(req, res));
      } catch (error) {
        const { status, headers, body } = answerTo(error);
        res.writeHead(status, headers).end(body);
      }
      return true;
    },

    upgrade(req, socket, head) {
      if (req.headers.upgrade?.toLowerCase() !== 'websocket' || !isFeed(req)) return false;
      try {
        webSockets.accept(req, socket, head, countConnection(req, socket));
      } catch (error) {
        const { status, headers, body } = answerTo(error);
        refuseUpgrade(socket, status, headers, body);
      }
      return true;
    },

    beginDrain() {
      isClosing = true;
    },

    async close() {
      isClosing = true;
      eventStreams.close();
      await webSockets.close();
    },
  };
}

function isFeed({ url = '' }: IncomingMessage): boolean {
  return url === PATH || url.startsWith(`${PATH}?`);
}

/** Posts that were stored but not numbered before the last process ended. */
function* postsAfter(
  outputs: Pick<Outputs, 'read'>,
  numberedUpTo: number | undefined,
): Iterable<OutputOf<'posts'>> {
  if (numberedUpTo === undefined) return;
  // The store returns the JSON of the outputs it was given.
  for (const { json } of outputs.read('posts', numberedUpTo + 1)) yield JSON.parse(json) as OutputOf<'posts'>;
}
