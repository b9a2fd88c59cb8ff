import type { HeartbeatFrame, PongFrame } from '../wire.ts';
import { createSourceAges } from './source-ages.ts';
import type { StaleReason } from './status.ts';

/** Heartbeats come each second; one that is late by less than half of one is not worth a ping. */
const PING_AFTER_MS = 1_400;
const PING_EVERY_MS = 400;
/** Together with the time between looks, and to ask, less than three seconds. */
const STALE_AFTER_MS = 2_500;
/** The streams take in a tick each second. */
const GRAPH_STILL_AFTER_MS = 1_250;
/** A socket that is silent for so long is given up for another. */
const GIVE_UP_AFTER_MS = 10_000;
/** A look that comes so late says that it was we who stood still. */
const STOOD_STILL_MS = 1_000;

export interface Beat {
  readonly stale: { readonly reason: StaleReason; readonly sources: readonly string[] } | undefined;
  readonly isPingDue: boolean;
  readonly isGivenUp: boolean;
}

/**
 * Tells quiet from dead, on one connection. Times are of the reader's own clock that never steps, in ms; those of
 * the server are held against each other only.
 */
export interface Pulse {
  /** Something came that went all the way through the streams. */
  data(now: number): void;
  heartbeat(frame: HeartbeatFrame, now: number): void;
  pong(frame: PongFrame, now: number): void;
  /** To be called several times a second. */
  look(now: number): Beat;
}

export function createPulse(openedAt: number, sourceLimitsMs?: Readonly<Record<string, number>>): Pulse {
  const sources = createSourceAges(sourceLimitsMs);
  let silent: readonly string[] = [];
  let dataAt = openedAt;
  let heardAt = openedAt;
  let lookedAt = openedAt;
  let pingedAt = Number.NEGATIVE_INFINITY;
  /** How long the streams had taken nothing in, when a pong last told. */
  let graphAgeMs: number | undefined;

  function reasonOf(now: number): StaleReason {
    // Two pings may be on their way.
    if (now - heardAt > 2 * PING_EVERY_MS || graphAgeMs === undefined) return 'connection';
    return graphAgeMs > GRAPH_STILL_AFTER_MS ? 'graph' : 'fan_out';
  }

  return {
    data(now) {
      dataAt = now;
      heardAt = now;
    },
    heartbeat(frame, now) {
      dataAt = now;
      heardAt = now;
      silent = sources.take(frame.ages_ms, frame.ts);
    },
    pong(frame, now) {
      heardAt = now;
      graphAgeMs = frame.ts - frame.pipeline_ts;
    },
    look(now) {
      const stoodStillMs = now - lookedAt;
      lookedAt = now;
      if (stoodStillMs > STOOD_STILL_MS) {
        // What came meanwhile has not been read yet.
        dataAt += stoodStillMs;
        heardAt += stoodStillMs;
      }
      const silentMs = now - dataAt;
      if (silentMs < PING_AFTER_MS) graphAgeMs = undefined;
      const isPingDue = silentMs >= PING_AFTER_MS && now - pingedAt >= PING_EVERY_MS;
      if (isPingDue) pingedAt = now;
      if (silentMs >= STALE_AFTER_MS) {
        const reason = reasonOf(now);
        // A graph that stands still does so for everyone: to come again helps nobody.
        const isGivenUp = reason !== 'graph' && silentMs >= GIVE_UP_AFTER_MS;
        return { stale: { reason, sources: [] }, isPingDue, isGivenUp };
      }
      const stale = silent.length === 0 ? undefined : { reason: 'source' as const, sources: silent };
      return { stale, isPingDue, isGivenUp: false };
    },
  };
}
