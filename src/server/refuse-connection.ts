import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainAnswer } from './answer.ts';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';

interface ConnectionFault {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const TOO_MANY_HEADERS: NodeJS.ErrnoException = Object.assign(new Error('too many headers'), {
  code: 'TOO_MANY_HEADERS',
});
export const TOO_MANY_CONNECTIONS: NodeJS.ErrnoException = Object.assign(new Error('too many connections'), {
  code: 'TOO_MANY_CONNECTIONS',
});

const MALFORMED: ConnectionFault = { status: 400, code: 'request_malformed', detail: 'Bad Request' };
const TOO_LARGE: ConnectionFault = {
  status: 431,
  code: 'headers_too_large',
  detail: 'Request Header Fields Too Large',
};
const FAULTS: ReadonlyMap<string | undefined, ConnectionFault> = new Map<string, ConnectionFault>([
  ['HPE_HEADER_OVERFLOW', TOO_LARGE],
  ['TOO_MANY_HEADERS', TOO_LARGE],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, code: 'request_timeout', detail: 'Request Timeout' }],
  [
    'TOO_MANY_CONNECTIONS',
    {
      status: 503,
      code: 'too_many_connections',
      detail: 'Too many connections from this address',
      headers: { 'Retry-After': '5' },
    },
  ],
]);

/** How long the answer may take to leave. */
const SEND_MS = 10_000;

/** Answers a connection that sent no valid request, in the form of our other errors, and ends it. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, detail, headers: own } = FAULTS.get(error.code) ?? MALFORMED;
  const { headers, body } = plainAnswer(status, JSON_TYPE, JSON.stringify({ detail, code }), {
    ...SECURITY_HEADERS,
    ...own,
  });
  const head = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  if (socket instanceof Socket) socket.setTimeout(SEND_MS, () => socket.destroy());
  // Destroyed once flushed, so that a peer that keeps sending cannot hold the socket half open.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}
