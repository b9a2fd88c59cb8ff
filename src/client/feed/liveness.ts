import type { HeartbeatFrame, PongFrame } from '../wire.ts';
import type { StaleReason } from './connection-status.ts';

/** Heartbeats come each second; a delay of less than half a second is not worth a ping. */
const PING_AFTER_MS = 1_400;
const PING_EVERY_MS = 400;
/** Less than three seconds, the time between two checks and a ping's way included. */
const STALE_AFTER_MS = 2_500;
/** The streams take in a tick each second. */
const GRAPH_STALE_AFTER_MS = 1_250;
/** A socket that is silent for so long is replaced. */
const REPLACE_AFTER_MS = 10_000;
/** A check that comes this late shows that this program itself was suspended. */
const SUSPENDED_MS = 1_000;

interface LivenessCheck {
  readonly stale: { readonly reason: StaleReason; readonly sources: readonly string[] } | undefined;
  readonly isPingDue: boolean;
  readonly shouldReplaceSocket: boolean;
}

/**
 * Tells a quiet connection from a dead one. Times are ms of the reader's monotonic clock; times of the server are
 * compared only with each other.
 */
interface Liveness {
  onData(now: number): void;
  onHeartbeat(frame: HeartbeatFrame, now: number): void;
  onPong(frame: PongFrame, now: number): void;
  /** To be called several times a second. */
  check(now: number): LivenessCheck;
}

export function createLiveness(openedAt: number): Liveness {
  /** What the server calls stale. A source may be quiet for long, and only the server knows how long is too long. */
  let staleSources: readonly string[] = [];
  /** The last frame that passed through the streams, and the last frame of any type. */
  let dataAt = openedAt;
  let frameAt = openedAt;
  let checkedAt = openedAt;
  let pingedAt = Number.NEGATIVE_INFINITY;
  /** Age of the streams' last input in the last pong. */
  let graphAgeMs: number | undefined;

  function staleReason(now: number): StaleReason {
    // Two pings may be on their way.
    if (now - frameAt > 2 * PING_EVERY_MS || graphAgeMs === undefined) return 'connection';
    return graphAgeMs > GRAPH_STALE_AFTER_MS ? 'graph' : 'fan_out';
  }

  function onData(now: number): void {
    dataAt = now;
    frameAt = now;
  }

  return {
    onData,
    onHeartbeat(frame, now) {
      onData(now);
      // Servers of earlier versions do not say it.
      ({ stale: staleSources = [] } = frame);
    },
    onPong(frame, now) {
      frameAt = now;
      graphAgeMs = frame.ts - frame.pipeline_ts;
    },
    check(now) {
      const sinceCheckMs = now - checkedAt;
      checkedAt = now;
      if (sinceCheckMs > SUSPENDED_MS) {
        // Frames that arrived in the meantime have not been read yet.
        dataAt += sinceCheckMs;
        frameAt += sinceCheckMs;
      }
      const silentMs = now - dataAt;
      if (silentMs < PING_AFTER_MS) graphAgeMs = undefined;
      const isPingDue = silentMs >= PING_AFTER_MS && now - pingedAt >= PING_EVERY_MS;
      if (isPingDue) pingedAt = now;
      if (silentMs >= STALE_AFTER_MS) {
        const reason = staleReason(now);
        // The graph is the same for every socket, so another one would not help.
        const shouldReplaceSocket = reason !== 'graph' && silentMs >= REPLACE_AFTER_MS;
        return { stale: { reason, sources: [] }, isPingDue, shouldReplaceSocket };
      }
      const stale =
        staleSources.length === 0 ? undefined : { reason: 'source' as const, sources: staleSources };
      return { stale, isPingDue, shouldReplaceSocket: false };
    },
  };
}
