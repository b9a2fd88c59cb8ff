import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Proxies, proxiesOf } from '../access/client-address.ts';
import { StartError } from '../errors.ts';
import { type AnswersInTurn, createAnswersInTurn, type UnsentLimits } from './answers-in-turn.ts';
import type { App } from './app.ts';
import { limitConnections } from './connection-limit.ts';
import { refuseConnection, TOO_MANY_HEADERS } from './refuse-connection.ts';

interface HttpLimits extends UnsentLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the two timeouts above are checked. */
  readonly checkEveryMs: number;
  /** Has to be longer than that of a proxy in front. */
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
  /** Does not apply to trusted proxies. */
  readonly maxConnectionsPerAddress: number;
  readonly proxies: Proxies;
}

/** For a server without a proxy in front. A payment header needs up to 8 KiB. */
export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkEveryMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  maxHeaderBytes: 12 * 1_024,
  maxHeaders: 64,
  maxRequestsPerSocket: 1_000,
  maxConnections: 15_000,
  maxConnectionsPerAddress: 4_096,
  maxWaitingRequests: 32,
  maxUnsentBytes: 8 * 1_024 * 1_024,
  writeTimeoutMs: 30_000,
  proxies: proxiesOf([]),
};

/** Connections that the system queues until they are accepted; it silently drops further ones. */
const BACKLOG = 4_096;

/** Longer than usual proxies keep an idle connection. */
const KEEP_ALIVE_BEHIND_PROXY_MS = 65_000;

export function httpLimits(config: {
  readonly trustedProxies: readonly string[];
  readonly connectionsPerAddress: number;
  readonly unsentMegabytes: number;
}): HttpLimits {
  const { trustedProxies, connectionsPerAddress, unsentMegabytes } = config;
  return {
    ...HTTP_LIMITS,
    ...(trustedProxies.length > 0 && { keepAliveTimeoutMs: KEEP_ALIVE_BEHIND_PROXY_MS }),
    maxConnectionsPerAddress: connectionsPerAddress,
    maxUnsentBytes: unsentMegabytes * 1_024 * 1_024,
    proxies: proxiesOf(trustedProxies),
  };
}

interface DrainTimes {
  /** How long connections are still accepted, so that a proxy notices that the service is no longer ready. */
  readonly noticeMs: number;
  /** How long open requests may take after that. */
  readonly deadlineMs: number;
}

export interface HttpServer {
  readonly server: Server;
  readonly unsent: AnswersInTurn['figures'];
  /** Resolves to the URL. Port 0 takes a free port. */
  listen(port: number, host: string): Promise<string>;
  /** Answers the open requests, accepts no new ones, and resolves when every connection is closed. */
  drain(times: DrainTimes): Promise<void>;
}

/** Has a server listen, and resolves to its URL. Rejects with a StartError. */
export type Listen = (server: Server, port: number, host: string) => Promise<string>;

/** The feed, which takes over some connections. */
export interface FeedConnections {
  /** Handles the request, or leaves it untouched and returns false. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Accepts no more connections. */
  beginDrain(): void;
  close(): Promise<void>;
}

interface MountedApp extends Pick<App, 'beginDrain' | 'close'> {
  callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;
}

/** Requests for the feed go to the app while there is none. */
export function createHttpServer(
  app: MountedApp,
  limits: HttpLimits = HTTP_LIMITS,
  feed?: () => FeedConnections | undefined,
  listenWith: Listen = listen,
): HttpServer {
  const serve = app.callback();
  const answers = createAnswersInTurn((req, res) => {
    if (req.rawHeaders.length > 2 * limits.maxHeaders) {
      refuseConnection(TOO_MANY_HEADERS, req.socket);
      return undefined;
    }
    // The connection ends after a body, so that bytes after it are never taken for a request.
    if (hasBody(req)) res.shouldKeepAlive = false;
    return feed?.()?.handle(req, res) ? undefined : serve(req, res);
  }, limits);
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
    },
    answers.answer,
  );
  // Node silently drops further headers, so one more than allowed shows that there were too many.
  server.maxHeadersCount = limits.maxHeaders + 1;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;
  server.on('connection', answers.watch);
  server.on('clientError', (error, socket) => {
    if (!answers.endIfCut(error, socket)) refuseConnection(error, socket);
  });
  // An `Expect` header is ignored.
  server.on('checkExpectation', answers.answer);
  limitConnections(server, limits);
  if (feed) {
    server.on('upgrade', (req, socket, head) => {
      socket.on('error', destroyThis);
      answers.afterAnswers(socket, () => {
        if (socket.destroyed) return;
        if (!feed()?.upgrade(req, socket, head)) answerWithoutUpgrade(req, socket, answers);
        // Paused if requests before this one had to wait.
        else if (socket.isPaused()) socket.resume();
      });
    });
  }

  let drained: Promise<void> | undefined;
  return {
    server,
    unsent: answers.figures,
    listen: (port, host) => listenWith(server, port, host),
    drain(times) {
      drained ??= drain(server, app, times, feed?.());
      return drained;
    },
  };
}

/** One for all sockets: a function of its own would keep the request for as long as its connection lasts. */
function destroyThis(this: Duplex): void {
  this.destroy();
}

/** Node passes every request for an upgrade to the listener. One that the feed does not take is answered normally. */
function answerWithoutUpgrade(req: IncomingMessage, socket: Duplex, answers: AnswersInTurn): void {
  if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => socket.end(() => socket.destroy()));
  // Node no longer looks after the connection.
  socket.once('timeout', () => socket.destroy());
  answers.answerLast(req, res);
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(startError(error, port, host));
    server.once('error', refuse);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', refuse);
      resolve(urlOf(server.address()));
    });
  });
}

/** The address to open, with an IPv6 host in brackets. */
export function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new TypeError('not listening on a port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function startError(cause: NodeJS.ErrnoException, port: number, host: string): StartError {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new StartError('START_PORT_TAKEN', `port ${port} on ${host} is taken by another program`, {
        cause,
      });
    case 'EACCES':
      return new StartError('START_PORT_DENIED', `port ${port} on ${host} needs more rights`, { cause });
    default:
      return new StartError('START_HOST', `cannot listen on host ${host}: ${cause.message}`, { cause });
  }
}

async function drain(
  server: Server,
  app: MountedApp,
  { noticeMs, deadlineMs }: DrainTimes,
  feed: FeedConnections | undefined,
): Promise<void> {
  app.beginDrain();
  feed?.beginDrain();
  // The timer need not keep the process alive, as the listening server does.
  await new Promise((resolve) => setTimeout(resolve, noticeMs).unref());
  // Refuses new connections and closes idle ones.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await feed?.close();
  await closed;
  clearTimeout(deadline);
  app.close();
}

/** Rejects with a StartError when the port is not free. */
export async function checkPort(port: number, host: string, listenWith: Listen = listen): Promise<void> {
  const probe = createServer();
  await listenWith(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
}
