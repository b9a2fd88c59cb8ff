import { createHash } from 'node:crypto';
import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { SECURITY_HEADERS } from './headers.ts';

type Headers = Readonly<Record<string, string>>;

/** A page may use its own scripts and styles, and this API with its feed, and nothing else. */
export const PAGE_HEADERS: Headers = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Content that does not change while the process runs. */
interface StaticContent {
  /** A 304 for a caller that has the content already. */
  unchanged(call: Call): Answer | undefined;
  whole<Body extends string | Buffer>(body: Body): Answer<Body>;
}

function staticContent(type: string, headers: Headers, etag: string): StaticContent {
  // Caches have to revalidate each time, as another version may be running.
  const tagged = { ...headers, 'Cache-Control': 'public, no-cache', ETag: etag };
  const notModified: Answer = { status: 304, headers: tagged, body: '' };
  return {
    unchanged: ({ ifNoneMatch }) => (namesTag(ifNoneMatch, etag) ? notModified : undefined),
    whole: (body) => ({
      status: 200,
      headers: { ...tagged, 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) },
      body,
    }),
  };
}

export function staticAnswer<Body extends string | Buffer>(
  type: string,
  body: Body,
  headers: Headers,
): (call: Call) => Answer | Answer<Body> {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const content = staticContent(type, headers, `"${hash}"`);
  const whole = content.whole(body);
  return (call) => content.unchanged(call) ?? whole;
}
