"""What a reader of the feed is told beside its frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Status:
    #: `connecting` and `resuming` are on the way to `live`. While `live`, silence means that nothing changed.
    state: Literal["connecting", "resuming", "live", "stale", "down"]
    #: `stale`: `connection` (not even pings are answered), `graph` (the server answers, but its streams have
    #: stopped), `fan_out` (the streams run, but their frames do not arrive), `source` (the server says that the
    #: sources in `sources` are stale). `down`: `idle`, `unreachable`, `lost` or `refused`.
    reason: str | None = None
    #: Names as in heartbeats, such as `posts/account_a`; empty unless the reason is `source`.
    sources: tuple[str, ...] = ()
    #: Close code of the socket, when the server sent one.
    code: int | None = None
    #: Seconds until the next attempt; None when there is none.
    retry_in: float | None = None


@dataclass(frozen=True)
class FeedEvent:
    """What the client has already handled, for a log: `gap` (frames were missing and are requested again), `epoch`
    (the server started a new numbering), `cursor_too_old` (a snapshot follows), `goodbye` (the server stops) and
    `error`."""

    type: Literal["gap", "epoch", "cursor_too_old", "goodbye", "error"]
    #: The channel and account, such as `tweets/account_a`, where it is about one.
    topic: str | None = None
    detail: str = ""
