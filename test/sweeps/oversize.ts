/** More than an honest client would send. Either it is refused, or answered without being read. */
interface Oversize {
  readonly what: string;
  readonly head: string;
  /** Sent over and over until the other side closes. */
  readonly more: string;
  readonly statuses: readonly number[];
}

const POST = 'POST /api/v1/waitlist HTTP/1.1\r\nHost: x\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const KIB = 1_024;
const X_64_KIB = 'x'.repeat(64 * KIB);

export const OVERSIZE: readonly Oversize[] = [
  {
    what: 'a body of 10 GB',
    head: `${POST}${JSON_TYPE}Content-Length: 10000000000\r\n\r\n`,
    more: X_64_KIB,
    statuses: [413],
  },
  {
    what: 'a body of 1 MiB',
    head: `${POST}${JSON_TYPE}Content-Length: ${KIB * KIB}\r\n\r\n${X_64_KIB.repeat(16)}`,
    more: '',
    statuses: [413],
  },
  {
    what: 'chunks without end',
    head: `${POST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`,
    more: `10000\r\n${X_64_KIB}\r\n`,
    statuses: [413],
  },
  {
    what: 'a compressed body',
    head: `${POST}${JSON_TYPE}Content-Encoding: gzip\r\nContent-Length: 3000000000\r\n\r\n`,
    more: X_64_KIB,
    statuses: [415],
  },
  {
    what: 'a body that is no JSON',
    head: `${POST}Content-Type: text/plain\r\nContent-Length: 3000000000\r\n\r\n`,
    more: X_64_KIB,
    statuses: [415],
  },
  {
    what: 'a body of 10 GB on a GET',
    head: 'GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n',
    more: X_64_KIB,
    statuses: [200],
  },
  {
    what: 'a body of 10 GB nowhere',
    head: 'PUT /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n',
    more: X_64_KIB,
    statuses: [404],
  },
  {
    what: 'a head without end',
    head: 'GET /livez HTTP/1.1\r\nHost: x\r\n',
    more: `X-A: ${'b'.repeat(1_000)}\r\n`,
    statuses: [431],
  },
  { what: 'a target without end', head: 'GET /', more: 'a'.repeat(KIB), statuses: [431] },
  {
    what: 'a key of 10 KB',
    head: `GET /livez HTTP/1.1\r\nHost: x\r\nX-API-Key: ${'k'.repeat(10_000)}\r\nConnection: close\r\n\r\n`,
    more: '',
    statuses: [200],
  },
  {
    what: '65 headers',
    head: `GET /livez HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(64)}\r\n`,
    more: '',
    statuses: [431],
  },
  {
    what: '3,000 headers',
    head: `GET /livez HTTP/1.1\r\nHost: x\r\n${'A:b\r\n'.repeat(3_000)}\r\n`,
    more: '',
    statuses: [431],
  },
];
