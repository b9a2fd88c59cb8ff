import { createHash } from 'node:crypto';
import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { SECURITY_HEADERS } from './headers.ts';

type Headers = Readonly<Record<string, string>>;

/** What a page of ours needs and no more: its own scripts and styles, and this API with its feed. */
export const PAGE_HEADERS: Headers = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Content that does not change while the process runs. */
interface StaticContent {
  /** The answer of a caller who has it already. */
  unchanged(call: Call): Answer | undefined;
  whole<Body extends string | Buffer>(body: Body): Answer<Body>;
}

export function staticContent(type: string, headers: Headers, etag: string): StaticContent {
  // To be asked for again each time, which costs a 304: another version may run tomorrow.
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

/** Answers with a body that is in memory. */
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
