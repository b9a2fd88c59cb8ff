"""A channel of an account, and the reader's position on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from .records import DataChannel, Frame


class Cursor(TypedDict):
    """The last frame that was received."""

    epoch: str
    seq: int


@dataclass(frozen=True)
class Channel:
    """What to follow. Without an account it means all accounts; `crypto` and `test` have none."""

    name: DataChannel
    account: str | None = None
    #: Continues after this frame instead of starting with a snapshot.
    resume: Cursor | None = None
    #: Money to size bets for, USD; of `signals`.
    bankroll: float | None = None
    include_unproven: bool | None = None


#: How a frame fits the reader's cursor.
Order = Literal["next", "duplicate", "restart", "gap"]


def order_of(cursor: Cursor | None, frame: Frame) -> Order:
    if frame["type"] == "snapshot":
        if cursor is None:
            return "next"
        is_same = cursor["epoch"] == frame["epoch"] and cursor["seq"] == frame["seq"]
        return "duplicate" if is_same else "restart"
    if cursor is None or cursor["epoch"] != frame["epoch"]:
        return "gap"
    if frame["seq"] <= cursor["seq"]:
        return "duplicate"
    # A frame for a slow reader replaces earlier ones, and the reader may have received some of these.
    return "next" if frame["prev_seq"] <= cursor["seq"] else "gap"


def topic_name(channel: str, account: str | None) -> str:
    return channel if account is None else f"{channel}/{account}"


class Topic:
    def __init__(
        self, channel: Channel, replay_within: float | None, wall: Callable[[], float] = time.time
    ) -> None:
        self.name = topic_name(channel.name, channel.account)
        self.cursor = channel.resume
        #: Whether the reader has caught up, so that the next frame is new.
        self.is_current = False
        self._channel = channel
        self._replay_within = replay_within
        # By the calendar, which goes on while the machine sleeps.
        self._wall = wall
        self._received_at = wall()
        # Where the server was when it confirmed, if it sends the missed frames up to there.
        self._resumes_to: int | None = None
        # Position of the reader at the last heartbeat, if that heartbeat counted more frames.
        self._behind_at: int | None = None

    def request(self) -> dict[str, Any]:
        """What to send now, with the cursor to resume from."""
        self.reset()
        self._behind_at = None
        each = self._channel
        wanted: dict[str, Any] = {"channel": each.name}
        if each.account is not None:
            wanted["account"] = each.account
        if each.bankroll is not None:
            wanted["bankroll"] = each.bankroll
        if each.include_unproven is not None:
            wanted["include_unproven"] = each.include_unproven
        within = self._replay_within
        is_long_ago = within is not None and self._wall() - self._received_at > within
        if self.cursor is not None and (each.name == "tweets" or not is_long_ago):
            wanted["resume"] = self.cursor
        return wanted

    def reset(self) -> None:
        """What was requested no longer counts, as the connection is lost or frames are."""
        self.is_current = False
        self._resumes_to = None

    def on_subscribed(self, seq: int, is_resumed: bool) -> None:
        """The server confirmed the request when the channel was at `seq`."""
        self._resumes_to = seq if is_resumed else None
        self._check_caught_up()

    def receive(self, frame: Frame) -> Order:
        """Moves the cursor if the frame is new, which `next` and `restart` are."""
        self._received_at = self._wall()
        order = order_of(self.cursor, frame)
        if frame["type"] == "snapshot":
            self.is_current = True
        if order in ("next", "restart"):
            self.cursor = {"epoch": frame["epoch"], "seq": frame["seq"]}
            self._check_caught_up()
        return order

    def has_lost_frames(self, seq: int) -> bool:
        """Whether a heartbeat that counts up to `seq` shows that frames are lost."""
        at = None if self.cursor is None else self.cursor["seq"]
        is_behind = self.is_current and at is not None and at < seq
        # Frames may still be on their way: they are lost if the reader made no progress since the last heartbeat.
        is_lost = is_behind and self._behind_at == at
        self._behind_at = at if is_behind else None
        return is_lost

    def _check_caught_up(self) -> None:
        if (
            self._resumes_to is not None
            and self.cursor is not None
            and self.cursor["seq"] >= self._resumes_to
        ):
            self.is_current = True
