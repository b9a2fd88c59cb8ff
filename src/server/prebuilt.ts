import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { JSON_TYPE, STREAM_HEADERS } from './headers.ts';
import type { Watch } from './watch.ts';

export interface Recipe {
  readonly watch: Watch;
  /**
   * What tells this body from every other one made of the same seq: the epoch (another process may have
   * another log under the same numbers), the path, the tier and the page.
   */
  readonly variant: string;
  readonly now: () => number;
  /** How many records there are to serve. A value that is dropped from memory moves no seq. */
  readonly size: () => number;
  /** Everything of the envelope after its timestamp, without the closing brace: `"data":[…]`. */
  readonly build: () => string;
}

/** The weak tag of one state of one body. The envelope's time and the ages do not move it. */
export function tagOf(seq: number, size: number, variant: string): string {
  return `W/"${seq}-${size}-${variant}"`;
}

/** The answer with a body made for this one call. */
export function streamAnswer(etag: string, body: string, bytes: number): Answer {
  return {
    status: 200,
    headers: {
      ...STREAM_HEADERS,
      'Content-Type': JSON_TYPE,
      'Content-Length': String(bytes),
      ETag: etag,
    },
    body,
  };
}

export function notModified(etag: string): Answer {
  return { status: 304, headers: { ...STREAM_HEADERS, ETag: etag }, body: '' };
}

/**
 * A body kept ready. It is built at most once per change, when it is first asked for; what is left for a
 * call is to put the time in.
 */
export function createPrebuilt({ watch, variant, now, size, build }: Recipe): (call: Call) => Answer {
  let revision = -1;
  let etag = '';
  let tail = '';
  let tailBytes = 0;
  let whole: Answer | undefined;
  let unchanged = notModified(etag);

  const rebuild = () => {
    revision = watch.revision;
    tail = `,${build()}}`;
    tailBytes = Buffer.byteLength(tail);
    whole = undefined;
    const tag = tagOf(watch.seq, size(), variant);
    if (tag === etag) return;
    etag = tag;
    unchanged = notModified(etag);
  };

  return ({ ifNoneMatch }) => {
    if (watch.revision !== revision) rebuild();
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return unchanged;
    const head = `{"timestamp":${now()}`;
    const body = head + tail;
    // All times of the next centuries have 13 digits, so the headers of one build fit every call.
    if (whole === undefined || whole.body.length !== body.length) {
      whole = streamAnswer(etag, body, head.length + tailBytes);
      return whole;
    }
    return { status: 200, headers: whole.headers, body };
  };
}
