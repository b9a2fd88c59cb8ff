import type { Watch } from '../views/watch.ts';
import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { JSON_TYPE, STREAM_HEADERS } from './headers.ts';
import type { TagOf } from './tags.ts';

interface Recipe {
  readonly watch: Watch;
  /** Identifies the body among those of the same seq: path, tier and page. */
  readonly name: string;
  readonly tagOf: TagOf;
  readonly now: () => number;
  /** The number of records. */
  readonly size: () => number;
  /** What the body that was built last says, without its timestamp and the ages of its inputs. */
  readonly content: () => string;
  /** The body after its timestamp, without the closing brace: `"data":[…]`. */
  readonly build: (nowMs: number) => string;
  /** A part of the tag that changes with time alone. */
  readonly mark?: (nowMs: number) => string;
}

/** How often the ages in a body are updated while no tick comes. */
const REFRESH_MS = 1_000;

/** Ticks come each second. After this time one is missing. */
const TICK_MISSED_AFTER_MS = 1_500;

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
 * Keeps a body ready. It is built at the first call after a change, and each call only adds the timestamp.
 */
export function createPrebuilt(recipe: Recipe): (call: Call) => Answer {
  const { watch, name, tagOf, now, size, content, build, mark } = recipe;
  let revision = -1;
  let builtAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let etag = '';
  let text = '';
  let tail = Buffer.alloc(0);
  let whole: Answer | undefined;
  let unchanged = notModified(etag);

  const rebuild = (nowMs: number) => {
    revision = watch.revision;
    builtAt = nowMs;
    // A tick is ahead of a calendar that was set back. Without any there are no ages to update.
    const tickAt = Number.isFinite(watch.tickAt) ? Math.min(watch.tickAt, nowMs) : watch.tickAt;
    dueAt = Math.max(nowMs + REFRESH_MS, tickAt + TICK_MISSED_AFTER_MS);
    text = `,${build(nowMs)}}`;
    tail = Buffer.from(text);
    whole = undefined;
    const tag = tagOf({ watch, name, size, mark: mark?.(nowMs), content });
    if (tag === etag) return;
    etag = tag;
    unchanged = notModified(etag);
  };

  return ({ ifNoneMatch }) => {
    const nowMs = now();
    if (watch.revision !== revision || nowMs >= dueAt || nowMs < builtAt) rebuild(nowMs);
    if (namesTag(ifNoneMatch, etag)) return unchanged;
    const head = `{"timestamp":${nowMs}`;
    const body = head + text;
    // All timestamps of the next centuries have 13 digits, so the length stays the same.
    if (whole === undefined || whole.body.length !== body.length) {
      whole = streamAnswer(etag, body, head.length + tail.length);
    }
    return { status: 200, headers: whole.headers, body, parts: { head, tail } };
  };
}
