import type { Watch } from '../views/watch.ts';
import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { JSON_TYPE, STREAM_HEADERS } from './headers.ts';

interface Recipe {
  readonly watch: Watch;
  /**
   * The name of this body among all those of the same seq: the epoch (another process may have
   * another log under the same numbers), the path, the tier and the page.
   */
  readonly variant: string;
  readonly now: () => number;
  /** How many records there are to serve. A value that is dropped from memory moves no seq. */
  readonly size: () => number;
  /** Everything of the envelope after its timestamp, without the closing brace: `"data":[…]`. */
  readonly build: (nowMs: number) => string;
  /** What the passing of time alone changes in the body and the tag has to show. */
  readonly mark?: (nowMs: number) => string;
}

/** While no tick comes, the ages in a body are brought up to date this often. */
const REFRESH_MS = 1_000;

/** Ticks come each second; only when one is missing do bodies grow old by themselves. */
const TICK_MISSED_AFTER_MS = 1_500;

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
export function createPrebuilt({ watch, variant, now, size, build, mark }: Recipe): (call: Call) => Answer {
  let revision = -1;
  let dueAt = Number.POSITIVE_INFINITY;
  let etag = '';
  let text = '';
  let tail = Buffer.alloc(0);
  let whole: Answer | undefined;
  let unchanged = notModified(etag);

  const rebuild = (nowMs: number) => {
    revision = watch.revision;
    dueAt = Math.max(nowMs + REFRESH_MS, watch.tickAt + TICK_MISSED_AFTER_MS);
    text = `,${build(nowMs)}}`;
    tail = Buffer.from(text);
    whole = undefined;
    const tag = tagOf(watch.seq, size(), mark ? `${variant}-${mark(nowMs)}` : variant);
    if (tag === etag) return;
    etag = tag;
    unchanged = notModified(etag);
  };

  return ({ ifNoneMatch }) => {
    const nowMs = now();
    if (watch.revision !== revision || nowMs >= dueAt) rebuild(nowMs);
    if (namesTag(ifNoneMatch, etag)) return unchanged;
    const head = `{"timestamp":${nowMs}`;
    const body = head + text;
    // All times of the next centuries have 13 digits, so the headers of one build fit every call.
    if (whole === undefined || whole.body.length !== body.length) {
      whole = streamAnswer(etag, body, head.length + tail.length);
    }
    return { status: 200, headers: whole.headers, body, parts: { head, tail } };
  };
}
