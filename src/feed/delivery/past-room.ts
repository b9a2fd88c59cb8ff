import type { Reader } from './reader.ts';

/** Bytes of the past that may wait for all readers together: half for those with a key, half for those without. */
const MAX_UNSENT_BYTES = 4 * 1_024 * 1_024;
/** A reader that takes nothing for so long makes room for others that wait. */
const STALLED_MS = 10_000;

/**
 * How much of the past, snapshots and missed frames, waits for readers who do not take it. What one reader may have waiting
 * is little, but there are thousands. Readers without a key cannot take the room of those with one.
 */
export interface PastRoom {
  hasRoomFor(reader: Reader): boolean;
  /** Has to be called when something of the past was written to a reader. */
  wrote(reader: Reader): void;
  /**
   * Counts again what waits; has to be called now and then while `isWaitedFor`. Closes readers who have taken nothing for
   * long if others were refused the room since the last count.
   */
  recount(): void;
  /** Whether something waits. */
  readonly isWaitedFor: boolean;
}

interface Waiting {
  unsentBytes: number;
  readonly takenBytes: number;
  /** When the reader was first seen to have taken so much. */
  readonly sinceMs: number;
}

/** `mono` is in ms and never goes back. */
export function createPastRoom(mono: () => number, maxBytes = MAX_UNSENT_BYTES): PastRoom {
  const withKey = createShare(maxBytes / 2, mono);
  const withoutKey = createShare(maxBytes / 2, mono);
  const shareOf = ({ hasKey }: Reader) => (hasKey ? withKey : withoutKey);
  return {
    hasRoomFor: (reader) => shareOf(reader).hasRoom(),
    wrote: (reader) => shareOf(reader).wrote(reader),
    recount() {
      withKey.recount();
      withoutKey.recount();
    },
    get isWaitedFor() {
      return withKey.waiting.size + withoutKey.waiting.size > 0;
    },
  };
}

function createShare(maxBytes: number, mono: () => number) {
  const waiting = new Map<Reader, Waiting>();
  let unsentBytes = 0;
  let wasRefused = false;

  return {
    waiting,
    hasRoom(): boolean {
      if (unsentBytes < maxBytes) return true;
      wasRefused = true;
      return false;
    },
    wrote(reader: Reader): void {
      const bytes = reader.unsentBytes();
      const seen = waiting.get(reader);
      if (bytes === 0 && seen === undefined) return;
      unsentBytes += bytes - (seen?.unsentBytes ?? 0);
      if (seen !== undefined) seen.unsentBytes = bytes;
      else waiting.set(reader, { unsentBytes: bytes, takenBytes: reader.takenBytes(), sinceMs: mono() });
    },
    recount(): void {
      const nowMs = mono();
      unsentBytes = 0;
      for (const [reader, seen] of waiting) {
        const bytes = reader.unsentBytes();
        const takenBytes = reader.takenBytes();
        const isStalled = takenBytes === seen.takenBytes && nowMs - seen.sinceMs >= STALLED_MS;
        if (reader.status === 'closed' || bytes === 0) waiting.delete(reader);
        else if (isStalled && wasRefused) {
          waiting.delete(reader);
          reader.closeTooSlow();
        } else {
          const sinceMs = takenBytes === seen.takenBytes ? seen.sinceMs : nowMs;
          waiting.set(reader, { unsentBytes: bytes, takenBytes, sinceMs });
          unsentBytes += bytes;
        }
      }
      wasRefused = false;
    },
  };
}
