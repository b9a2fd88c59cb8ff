import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';

interface ParserFault {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

const MALFORMED: ParserFault = { status: 400, code: 'request_malformed', detail: 'Bad Request' };
const FAULTS: ReadonlyMap<string | undefined, ParserFault> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, code: 'headers_too_large', detail: 'Request Header Fields Too Large' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, code: 'request_timeout', detail: 'Request Timeout' }],
]);

/** Answers what is not even a request in our own form, then lets the connection go. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, detail } = FAULTS.get(error.code) ?? MALFORMED;
  const body = JSON.stringify({ detail, code });
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Destroyed once flushed: a peer that goes on sending must not hold the socket half open.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}
