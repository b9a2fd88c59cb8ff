import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** What a test wants answered: JSON with status 200, or anything through the raw response. */
export type Script = (request: ScriptedRequest, response: ServerResponse) => unknown;

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Returned by a script that wrote to the response itself. */
export const ANSWERED = Symbol('answered');

export interface ScriptedServer {
  readonly url: string;
  readonly socketUrl: string;
  readonly requests: readonly ScriptedRequest[];
  /** Texts the clients sent over their sockets, in order of arrival. */
  readonly received: readonly string[];
  readonly sockets: ReadonlySet<WebSocket>;
  connections(): number;
  answer(script: Script): void;
  onSocket(onOpen: (socket: WebSocket, path: string) => void): void;
  close(): Promise<void>;
}

/** A local server on a free port that answers HTTP and WebSocket calls as the test says. */
export async function openScriptedServer(): Promise<ScriptedServer> {
  let script: Script = (_, response) => {
    response.statusCode = 404;
    return { error: 'no script' };
  };
  let onOpen: (socket: WebSocket, path: string) => void = () => {};
  const requests: ScriptedRequest[] = [];
  const received: string[] = [];
  const connected = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://local');
      const body = Buffer.concat(chunks).toString();
      const scripted = { method: request.method ?? '', path, query, headers: request.headers, body };
      requests.push(scripted);
      const answer = script(scripted, response);
      if (answer === ANSWERED) return;
      if (!response.headersSent) response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  });
  server.on('connection', (socket) => {
    connected.add(socket);
    socket.on('close', () => connected.delete(socket));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    socket.on('message', (data) => received.push(data.toString()));
    onOpen(socket, request.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}`,
    requests,
    received,
    sockets: sockets.clients,
    connections: () => connected.size,
    answer: (next) => {
      script = next;
    },
    onSocket: (next) => {
      onOpen = next;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      for (const socket of connected) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
