import { type EngineTime, latestAt, newerTime } from './engine-time.ts';
import type { EdgeMessage, EngineMessage, Welcome } from './messages.ts';
import { unknownReserve } from './rules.ts';

/** What an edge knows of the engine: its time, whether it answers, and the place that the edge has there. */
interface Contact {
  /** The latest that the engine's time can be; past every time when it is not known. */
  latest(now: number): number;
  /** Whether reserves may be used. */
  hasReserves(now: number): boolean;
  /** What a caller that the edge knows nothing of has in reserve. */
  reserveFor(limit: number, now: number): number;
  /** Notes that an answer is due from now on. */
  expect(now: number): void;
  /** Notes that the engine is there. Nothing is due until more is expected. */
  hear(message: EngineMessage, now: number): 'same place' | 'new place';
  /** Says hello when it is time. Returns whether the engine is gone from now on. */
  tick(now: number): boolean;
  nextTickAt(): number;
  readonly isAlone: boolean;
}

const HELLO_MS = 1_000;
/** Without an answer for so long the engine is taken for gone. */
const GONE_MS = 500;

export function createContact(edge: string, send: (message: EdgeMessage) => void): Contact {
  let engineTime: EngineTime | undefined;
  let place: Welcome | undefined;
  let isAlone = true;
  let helloAt = Number.NEGATIVE_INFINITY;
  let unansweredSince: number | undefined;

  function latest(now: number): number {
    return engineTime === undefined ? Number.POSITIVE_INFINITY : latestAt(engineTime, now);
  }

  function settleIn(welcome: Welcome): 'same place' | 'new place' {
    if (place !== undefined && welcome.sentAt < place.sentAt) return 'same place';
    const isSame = place?.reserveFrom === welcome.reserveFrom;
    place = welcome;
    return isSame ? 'same place' : 'new place';
  }

  return {
    latest,
    hasReserves: (now) => place !== undefined && latest(now) < place.until,
    reserveFor(limit, now) {
      if (place === undefined) return 0;
      const at = latest(now);
      return at >= place.reserveFrom && at < place.until ? unknownReserve(limit, place.parts) : 0;
    },
    expect(now) {
      unansweredSince ??= now;
    },
    hear(message, now) {
      isAlone = false;
      unansweredSince = undefined;
      if (message.kind === 'recall') return 'same place';
      engineTime = newerTime(engineTime, message, now);
      return message.kind === 'welcome' ? settleIn(message) : 'same place';
    },
    tick(now) {
      if (now >= helloAt + HELLO_MS) {
        helloAt = now;
        unansweredSince ??= now;
        send({ kind: 'hello', edge, sentAt: now });
      }
      if (isAlone || now < (unansweredSince ?? now) + GONE_MS) return false;
      isAlone = true;
      unansweredSince = undefined;
      return true;
    },
    nextTickAt() {
      const goneAt =
        isAlone || unansweredSince === undefined ? Number.POSITIVE_INFINITY : unansweredSince + GONE_MS;
      return Math.min(helloAt + HELLO_MS, goneAt);
    },
    get isAlone() {
      return isAlone;
    },
  };
}
