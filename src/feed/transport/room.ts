import type { Writable } from 'node:stream';

/** Bytes that may wait for one reader: frames, answers and pongs together. */
export const MAX_UNSENT_BYTES = 64 * 1_024;

type Outgoing = Pick<
  Writable,
  'writableLength' | 'writableHighWaterMark' | 'writableCorked' | 'cork' | 'uncork'
>;

/**
 * Whether so many bytes more may be written. What is longer than all that may wait can still be written to a reader for
 * which little waits. Without room at least the high-water mark is unsent, so that the stream will tell when it is drained.
 */
export function hasRoomFor(stream: Outgoing, bytes: number): boolean {
  if (fits(stream, bytes)) return true;
  if (stream.writableCorked === 0) return false;
  // What was held back to be sent at once does not wait for the reader.
  stream.uncork();
  stream.cork();
  return fits(stream, bytes);
}

/** Whether the stream has taken in so much that nothing should be added that can wait. */
export function isFull({ writableLength, writableHighWaterMark }: Outgoing): boolean {
  return writableLength >= writableHighWaterMark;
}

function fits(stream: Outgoing, bytes: number): boolean {
  return !isFull(stream) || stream.writableLength + bytes <= MAX_UNSENT_BYTES;
}
