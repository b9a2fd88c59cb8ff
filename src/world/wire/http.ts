import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { FaultRole, FaultRule, Faults } from '../control/faults.ts';
import type { Answer, Handler, WorldRequest } from './answer.ts';
import { dripAnswer, sendAnswer, sendFault } from './send-answer.ts';

/** One HTTP role: what answers below a path prefix. Only a role with a name can be made to fail. */
interface Role {
  readonly prefix: string;
  readonly name: FaultRole | undefined;
  readonly handle: Handler;
}

/** One socket role: takes over a connection whose path begins with the prefix. */
interface SocketRole {
  readonly prefix: string;
  readonly name: FaultRole;
  readonly accept: (request: IncomingMessage, socket: Duplex, head: Buffer, path: string) => void;
}

const MOST_BODY_BYTES = 1_048_576;
const NOT_FOUND: Answer = { status: 404, body: { error: 'not found' } };

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MOST_BODY_BYTES) break;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

function beneath(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function requestOf(request: IncomingMessage, url: URL, prefix: string, body: string): WorldRequest {
  const segments = url.pathname
    .slice(prefix.length)
    .split('/')
    .filter((segment) => segment !== '');
  return {
    method: request.method ?? 'GET',
    path: segments.map(decode),
    query: url.searchParams,
    headers: request.headers,
    body,
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

interface WorldServer {
  readonly server: Server;
  /** Ends every connection, those handed over to sockets too, and resolves when none is left. */
  close(): Promise<void>;
}

/** The one server of the world, not yet listening. */
export function createWorldServer(options: {
  readonly roles: readonly Role[];
  readonly sockets: readonly SocketRole[];
  readonly faults: Faults;
  /** UTC ms; every answer is dated by it. */
  readonly now: () => number;
}): WorldServer {
  const { roles, sockets, faults, now } = options;
  const timers = new Set<NodeJS.Timeout>();
  const upgraded = new Set<Duplex>();
  /** What was first answered under a rule, by path. */
  const firstAnswers = new WeakMap<FaultRule, Map<string, Answer>>();

  async function firstAnswer(rule: FaultRule, path: string, answer: () => Promise<Answer>): Promise<Answer> {
    const known = firstAnswers.get(rule) ?? new Map<string, Answer>();
    firstAnswers.set(rule, known);
    const given = known.get(path) ?? (await answer());
    known.set(path, given);
    return given;
  }

  function later(delayMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, delayMs);
    timers.add(timer);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://world.invalid');
    const role = roles.find(({ prefix }) => beneath(prefix, url.pathname));
    const body = await bodyOf(request);
    if (role === undefined) {
      sendAnswer(response, NOT_FOUND);
      return;
    }
    const answer = async (): Promise<Answer> => role.handle(requestOf(request, url, role.prefix, body));
    const rule = role.name === undefined ? undefined : faults.take(role.name, request.url ?? '/');
    if (rule === undefined) sendAnswer(response, await answer());
    else if (rule.kind === 'slow') later(rule.delayMs, () => send(response, answer));
    else if (rule.kind === 'old') sendAnswer(response, await firstAnswer(rule, url.pathname, answer));
    else if (rule.kind === 'drip') dripAnswer(response, await answer(), (act) => later(rule.delayMs, act));
    else if (rule.kind !== 'hang') await sendFault(response, rule, answer);
  }

  function send(response: ServerResponse, answer: () => Promise<Answer>): void {
    answer().then(
      (given) => sendAnswer(response, given),
      (error: unknown) => fail(response, error),
    );
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent) response.destroy();
    else sendAnswer(response, { status: 500, body: { error: String(error) } });
  }

  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString());
    serve(request, response).catch((error: unknown) => fail(response, error));
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = new URL(request.url ?? '/', 'http://world.invalid').pathname;
    const role = sockets.find(({ prefix }) => beneath(prefix, path));
    // A reader that leaves during the handshake is no fault of the world's.
    socket.on('error', () => socket.destroy());
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    if (role === undefined) {
      refuse(socket, 404);
      return;
    }
    const rule = faults.take(role.name, request.url ?? '/');
    const accept = (): void => role.accept(request, socket, head, path.slice(role.prefix.length));
    if (rule === undefined) accept();
    else if (rule.kind === 'slow') later(rule.delayMs, accept);
    else if (rule.kind !== 'hang') refuse(socket, rule.kind === 'status' ? rule.status : 502);
  });
  return {
    server,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}

function refuse(socket: Duplex, status: number): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}
