"""Tells a quiet connection from a dead one."""

from __future__ import annotations

from dataclasses import dataclass

from .feed_status import Status
from .records import HeartbeatFrame, PongFrame

#: Heartbeats come each second; a delay of less than half a second is not worth a ping.
PING_AFTER_S = 1.4
PING_EVERY_S = 0.4
#: Less than three seconds, the time between two checks and a ping's way included.
STALE_AFTER_S = 2.5
#: The streams take in a tick each second.
GRAPH_STALE_AFTER_MS = 1_250
#: A socket that is silent for so long is replaced.
REPLACE_AFTER_S = 10.0
#: A check that comes this late shows that the loop over the frames, or this program, was busy elsewhere.
SUSPENDED_S = 1.0


@dataclass(frozen=True)
class Check:
    stale: Status | None
    is_ping_due: bool
    should_replace_socket: bool


class Liveness:
    """Times are seconds of the reader's monotonic clock; times of the server are compared only with each other."""

    def __init__(self, opened_at: float) -> None:
        self._stale_sources: tuple[str, ...] = ()
        # The last frame that passed through the streams, and the last frame of any type.
        self._data_at = opened_at
        self._frame_at = opened_at
        self._checked_at = opened_at
        self._pinged_at = float("-inf")
        # Age of the streams' last input in the last pong.
        self._graph_age_ms: int | None = None

    def on_data(self, now: float) -> None:
        self._data_at = now
        self._frame_at = now

    def on_heartbeat(self, frame: HeartbeatFrame, now: float) -> None:
        self.on_data(now)
        self._stale_sources = tuple(frame["stale"])

    def on_pong(self, frame: PongFrame, now: float) -> None:
        self._frame_at = now
        self._graph_age_ms = frame["ts"] - frame["pipeline_ts"]

    def check(self, now: float) -> Check:
        """To be called several times a second."""
        since_check = now - self._checked_at
        self._checked_at = now
        if since_check > SUSPENDED_S:
            # Frames that arrived in the meantime have not been read yet.
            self._data_at += since_check
            self._frame_at += since_check
        silent = now - self._data_at
        if silent < PING_AFTER_S:
            self._graph_age_ms = None
        is_ping_due = silent >= PING_AFTER_S and now - self._pinged_at >= PING_EVERY_S
        if is_ping_due:
            self._pinged_at = now
        if silent >= STALE_AFTER_S:
            reason = self._stale_reason(now)
            # The graph is the same for every socket, so another one would not help.
            should_replace = reason != "graph" and silent >= REPLACE_AFTER_S
            return Check(Status("stale", reason), is_ping_due, should_replace)
        stale = Status("stale", "source", self._stale_sources) if self._stale_sources else None
        return Check(stale, is_ping_due, False)

    def _stale_reason(self, now: float) -> str:
        # Two pings may be on their way.
        if now - self._frame_at > 2 * PING_EVERY_S or self._graph_age_ms is None:
            return "connection"
        return "graph" if self._graph_age_ms > GRAPH_STALE_AFTER_MS else "fan_out"
