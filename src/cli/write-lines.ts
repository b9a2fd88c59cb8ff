import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A reader that has seen enough closes the pipe, which is no failure; Node reports it with any of these. */
const CLOSED: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** Writes texts as fast as the reader takes them, until they end or the reader closes the pipe. */
export async function writeLines(
  texts: Iterable<string> | AsyncIterable<string>,
  to: Writable,
): Promise<void> {
  try {
    await pipeline(Readable.from(texts, { highWaterMark: 1 }), to, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && CLOSED.has(error.code))) throw error;
  }
}
