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

/** Content that does not change while the process runs. Its bytes are kept, and shared by all who are sent them. */
export function staticAnswer<Body extends string | Buffer>(
  type: string,
  body: Body,
  headers: Headers,
): (call: Call) => Answer | Answer<Body> {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const etag = `"${hash}"`;
  // Caches have to revalidate each time, as another version may be running.
  const tagged = { ...headers, 'Cache-Control': 'public, no-cache', ETag: etag };
  const notModified: Answer = { status: 304, headers: tagged, body: '' };
  const tail: Buffer = Buffer.isBuffer(body) ? body : Buffer.from(String(body));
  const whole: Answer<Body> = {
    status: 200,
    headers: { ...tagged, 'Content-Type': type, 'Content-Length': String(tail.length) },
    body,
    // Node copies a text for each caller, but not bytes.
    ...(typeof body === 'string' && { parts: { head: '', tail } }),
    isKept: true,
  };
  return ({ ifNoneMatch }) => (namesTag(ifNoneMatch, etag) ? notModified : whole);
}

/** A static answer that is made when it is first asked for. A failure is tried again. */
export function staticFile(
  load: () => Promise<Buffer>,
  type: string,
  headers: Headers,
): (call: Call) => Promise<Answer<string | Buffer>> {
  let loading: Promise<(call: Call) => Answer<string | Buffer>> | undefined;
  return async (call) => {
    loading ??= load().then((bytes) => staticAnswer(type, bytes, headers));
    try {
      return (await loading)(call);
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
}
