/** A request that two parsers might read as one or as two, and what we make of it. */
interface Smuggled {
  readonly what: string;
  readonly bytes: string;
  /** The only statuses allowed, in order; nothing may come after them. */
  readonly statuses: readonly number[];
}

const GET = 'GET /livez HTTP/1.1\r\nHost: x\r\n';
const POST = 'POST /livez HTTP/1.1\r\nHost: x\r\n';
/** What would be answered 200 if it were taken for a request of its own. */
const HIDDEN = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n';

/** RELIABILITY's set and its neighbours. Each either is refused or is answered once, after which all is over. */
export const SMUGGLED: readonly Smuggled[] = [
  {
    what: 'a length and chunks',
    bytes: `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'chunks and a length',
    bytes: `${POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'two lengths',
    bytes: `${POST}Content-Length: 0\r\nContent-Length: 41\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'the same length twice',
    bytes: `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello${HIDDEN}`,
    statuses: [400],
  },
  { what: 'a length in a list', bytes: `${POST}Content-Length: 5, 5\r\n\r\nhello${HIDDEN}`, statuses: [400] },
  { what: 'a signed length', bytes: `${POST}Content-Length: +5\r\n\r\nhello${HIDDEN}`, statuses: [400] },
  { what: 'a negative length', bytes: `${POST}Content-Length: -1\r\n\r\n${HIDDEN}`, statuses: [400] },
  {
    what: 'an encoding nobody knows',
    bytes: `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'chunks that are not the last encoding',
    bytes: `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'a space before the colon',
    bytes: `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  {
    what: 'lines that end in LF alone',
    bytes: `GET /livez HTTP/1.1\nHost: x\n\n${HIDDEN}`,
    statuses: [400],
  },
  { what: 'a folded header', bytes: `${GET}X-A: b\r\n Content-Length: 41\r\n\r\n${HIDDEN}`, statuses: [400] },
  { what: 'a NUL in a header', bytes: `${GET}X-A: b\0c\r\n\r\n${HIDDEN}`, statuses: [400] },
  { what: 'no host', bytes: `GET /livez HTTP/1.1\r\n\r\n${HIDDEN}`, statuses: [400] },
  {
    what: 'a chunk of no hexadecimal size',
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${HIDDEN}`,
    statuses: [400],
  },
  { what: 'two hosts', bytes: `${GET}Host: y\r\nConnection: close\r\n\r\n`, statuses: [200] },
  {
    what: 'a whole address as the target',
    bytes: `GET http://other.invalid/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    statuses: [200],
  },
  {
    what: 'a request in the body of a GET',
    bytes: `${GET}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    statuses: [200],
  },
  {
    what: 'a request behind the body of a GET',
    bytes: `${GET}Content-Length: 5\r\n\r\nhello${HIDDEN}`,
    statuses: [200],
  },
  {
    what: 'a request behind the chunks of a GET',
    bytes: `${GET}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    statuses: [200],
  },
  {
    what: 'a request after the last one',
    bytes: `GET /api/v1/performance/overview HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${HIDDEN}`,
    statuses: [200],
  },
  {
    what: 'a broken chunk behind a head that was answered',
    bytes: `GET /api/v1/performance/overview HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${HIDDEN}`,
    statuses: [200],
  },
  {
    what: 'a request behind a body nobody wants',
    bytes: `${POST}Content-Length: 5\r\n\r\nhello${HIDDEN}`,
    statuses: [405],
  },
];
