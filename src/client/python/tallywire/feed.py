"""The feed as loops over frames that go on across lost connections, without a gap."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, cast

import websockets
from websockets.exceptions import ConnectionClosed, WebSocketException

from .error import TallywireError
from .feed_status import FeedEvent, Status
from .liveness import Liveness
from .records import (
    CountersFrame,
    CryptoFrame,
    DataChannel,
    Frame,
    HeartbeatFrame,
    LagFrame,
    PredictionFrame,
    SignalsFrame,
    TestFrame,
    TweetsFrame,
    VelocityFrame,
)
from .topic import Channel, Cursor, Topic, topic_name

CHECK_EVERY_S = 0.2
HANDSHAKE_S = 10.0
#: A socket that was open for so long was stable: its loss starts a new series of attempts.
STABLE_S = 5.0
#: Close codes for an unknown key, and for a key whose tier is too low.
REFUSED = {4001: "key_invalid", 4003: "tier_too_low"}
#: Errors after which the server closes the connection, and another one may do better.
PASSING = {"too_slow", "too_many_messages", "too_many_feeds", "subscribe_missing", "internal"}
#: Channels that no account has.
GLOBAL = {"crypto", "test"}
#: The server accepts ten messages at once and then five a second; some are left for pings.
BURST = 8
PER_SECOND = 4.0
#: Channels in one message of at most 4 KiB: each has a name of up to 64 characters and a cursor.
MOST_CHANNELS = 16


#: Made when it is asked for, which type checkers of some versions do not see.
connect: Any = cast(Any, websockets).connect


def reconnect_delay(reconnect: tuple[float, float], attempt: int, chance: float) -> float:
    """Seconds before attempt `attempt` (from 0) after a loss: at random between the shortest wait and a bound that
    doubles, so that readers who lost their connection at the same moment do not all return at the same moment."""
    shortest, longest = reconnect
    bound = min(longest, 2 * shortest * 2 ** min(attempt, 30))
    return float(shortest + chance * max(0.0, bound - shortest))


class Feed:
    """Every loop has a socket of its own. It reads no faster than its body takes frames, and the status is told
    while it waits for the next one."""

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        load_accounts: Callable[[], Sequence[str]],
        on_status: Callable[[Status], None] | None = None,
        on_event: Callable[[FeedEvent], None] | None = None,
        on_heartbeat: Callable[[HeartbeatFrame], None] | None = None,
        reconnect: tuple[float, float] = (0.5, 30.0),
        replay_within: float | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._url = url
        self._key = key
        self._load_accounts = load_accounts
        self._on_status = on_status or _ignore
        self._on_event = on_event or _ignore
        self._on_heartbeat = on_heartbeat or _ignore
        self._reconnect = reconnect
        self._replay_within = replay_within
        self._chance = chance

    def counters(
        self, account: str | None = None, *, resume: Cursor | None = None
    ) -> AsyncIterator[CountersFrame]:
        return cast("AsyncIterator[CountersFrame]", self.follow(Channel("counters", account, resume)))

    def tweets(
        self, account: str | None = None, *, resume: Cursor | None = None
    ) -> AsyncIterator[TweetsFrame]:
        """Every frame. On the other channels a slow reader gets only the newest frame of each key."""
        return cast("AsyncIterator[TweetsFrame]", self.follow(Channel("tweets", account, resume)))

    def velocity(
        self, account: str | None = None, *, resume: Cursor | None = None
    ) -> AsyncIterator[VelocityFrame]:
        """Needs a key of tier PRO."""
        return cast("AsyncIterator[VelocityFrame]", self.follow(Channel("velocity", account, resume)))

    def prediction(
        self, account: str | None = None, *, resume: Cursor | None = None
    ) -> AsyncIterator[PredictionFrame]:
        return cast("AsyncIterator[PredictionFrame]", self.follow(Channel("prediction", account, resume)))

    def signals(
        self,
        account: str | None = None,
        *,
        resume: Cursor | None = None,
        bankroll: float | None = None,
        include_unproven: bool | None = None,
    ) -> AsyncIterator[SignalsFrame]:
        """Needs a key of tier PRO."""
        channel = Channel("signals", account, resume, bankroll, include_unproven)
        return cast("AsyncIterator[SignalsFrame]", self.follow(channel))

    def lag(self, account: str | None = None, *, resume: Cursor | None = None) -> AsyncIterator[LagFrame]:
        return cast("AsyncIterator[LagFrame]", self.follow(Channel("lag", account, resume)))

    def crypto(self, *, resume: Cursor | None = None) -> AsyncIterator[CryptoFrame]:
        return cast("AsyncIterator[CryptoFrame]", self.follow(Channel("crypto", None, resume)))

    def test(self, *, resume: Cursor | None = None) -> AsyncIterator[TestFrame]:
        """Changes each second, for trying things out."""
        return cast("AsyncIterator[TestFrame]", self.follow(Channel("test", None, resume)))

    def follow(self, *channels: Channel | DataChannel) -> AsyncIterator[Frame]:
        """Frames of several channels over one socket: of each a snapshot, then updates, each once and in order."""
        wanted = [Channel(each) if isinstance(each, str) else each for each in channels]
        if not wanted:
            raise ValueError("expected at least one channel to follow")
        for each in wanted:
            if each.resume is not None and each.account is None and each.name not in GLOBAL:
                raise ValueError(
                    f"a cursor belongs to one account, and {each.name} is followed without an account"
                )
        return self._follow(wanted)

    async def _follow(self, channels: Sequence[Channel]) -> AsyncIterator[Frame]:
        tell = _StatusTeller(self._on_status)
        topics: dict[str, Topic] = {}
        attempt = 0
        while True:
            tell.pending()
            socket: Any = None
            opened_at = time.monotonic()
            code: int | None = None
            try:
                if not topics:
                    topics = await self._topics_of(channels)
                # Pings of the library would count as messages; ours are sent only when they are needed.
                socket = await connect(
                    self._url, open_timeout=HANDSHAKE_S, close_timeout=1, ping_interval=None, max_size=None
                )
                opened_at = time.monotonic()
                session = _Session(socket, self._key, topics, tell, self._on_event, self._on_heartbeat)
                async for frame in session.frames():
                    yield frame
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd is not None else None
                if code in REFUSED:
                    tell.set(Status("down", "refused", code=code))
                    raise TallywireError(0, REFUSED[code], "the server refused this reader") from closed
            except TallywireError as error:
                if not _is_passing(error):
                    tell.set(Status("down", "refused"))
                    raise
            except (TimeoutError, OSError, WebSocketException):
                pass
            finally:
                if socket is not None:
                    # A dead peer would not answer a close, and a living one needs none.
                    socket.transport.abort()
            if socket is not None and time.monotonic() - opened_at >= STABLE_S:
                attempt = 0
            for topic in topics.values():
                topic.reset()
            wait = reconnect_delay(self._reconnect, attempt, self._chance())
            attempt += 1
            reason = "unreachable" if socket is None else "lost"
            tell.set(Status("down", reason, code=code, retry_in=wait))
            await asyncio.sleep(wait)

    async def _topics_of(self, channels: Sequence[Channel]) -> dict[str, Topic]:
        accounts: Sequence[str] = []
        if any(each.account is None and each.name not in GLOBAL for each in channels):
            accounts = await asyncio.to_thread(self._load_accounts)
        topics: dict[str, Topic] = {}
        for each in channels:
            named = [each.account] if each.account is not None or each.name in GLOBAL else accounts
            for account in named:
                channel = Channel(each.name, account, each.resume, each.bankroll, each.include_unproven)
                topic = Topic(channel, self._replay_within)
                topics[topic.name] = topic
        if not topics:
            raise TallywireError(0, "account_unknown", "the service follows no account")
        return topics


class _StatusTeller:
    """Tells a status once, until it changes."""

    def __init__(self, tell: Callable[[Status], None]) -> None:
        self._tell = tell
        self._last: Status | None = None
        self._was_live = False

    def set(self, status: Status) -> None:
        if status == self._last:
            return
        self._last = status
        self._was_live = self._was_live or status.state == "live"
        self._tell(status)

    def pending(self) -> None:
        self.set(Status("resuming" if self._was_live else "connecting"))


class _Replace(OSError):
    """The socket is of no use any more."""


class _Session:
    """The messages over one socket."""

    def __init__(
        self,
        socket: Any,
        key: str | None,
        topics: dict[str, Topic],
        tell: _StatusTeller,
        on_event: Callable[[FeedEvent], None],
        on_heartbeat: Callable[[HeartbeatFrame], None],
    ) -> None:
        self._socket = socket
        self._topics = topics
        self._tell = tell
        self._on_event = on_event
        self._on_heartbeat = on_heartbeat
        self._liveness = Liveness(time.monotonic())
        self._waiting: deque[dict[str, Any]] = deque()
        self._tokens = float(BURST)
        self._refilled_at = time.monotonic()
        if key is not None:
            self._waiting.append({"op": "auth", "key": key})
        self._subscribe([{"channel": "heartbeat"}, *(topic.request() for topic in topics.values())])

    async def frames(self) -> AsyncIterator[Frame]:
        receiving: asyncio.Future[str | bytes] | None = None
        try:
            while True:
                await self._send_waiting()
                receiving = receiving or asyncio.ensure_future(self._socket.recv())
                done, _ = await asyncio.wait({receiving}, timeout=CHECK_EVERY_S)
                if done:
                    text = receiving.result()
                    receiving = None
                    frame = self._on_text(text)
                    self._check_liveness()
                    if frame is not None:
                        yield frame
                else:
                    self._check_liveness()
        finally:
            if receiving is not None:
                receiving.cancel()
                await asyncio.wait({receiving})
                if not receiving.cancelled():
                    receiving.exception()

    def _subscribe(self, requests: Sequence[dict[str, Any]]) -> None:
        for start in range(0, len(requests), MOST_CHANNELS):
            self._waiting.append({"op": "subscribe", "channels": requests[start : start + MOST_CHANNELS]})

    async def _send_waiting(self) -> None:
        """No faster than the server accepts messages."""
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + (now - self._refilled_at) * PER_SECOND)
        self._refilled_at = now
        while self._waiting and self._tokens >= 1:
            self._tokens -= 1
            await self._socket.send(json.dumps(self._waiting.popleft()))

    def _on_text(self, text: str | bytes) -> Frame | None:
        """The frame, if it is one for the reader."""
        try:
            frame: Any = json.loads(text)
        except ValueError:
            frame = None
        if not isinstance(frame, dict):
            self._on_event(FeedEvent("error", detail="not_json: a message of the server is no JSON object"))
            raise _Replace("the server does not use the protocol of the feed")
        kind = frame.get("type")
        now = time.monotonic()
        if kind in ("update", "snapshot"):
            self._liveness.on_data(now)
            return self._on_data(cast(Frame, frame))
        if kind == "heartbeat":
            beat = cast(HeartbeatFrame, frame)
            self._liveness.on_heartbeat(beat, now)
            self._find_lost(beat)
            self._on_heartbeat(beat)
        elif kind == "pong":
            self._liveness.on_pong(cast(Any, frame), now)
        elif kind == "subscribed":
            for each in frame["channels"]:
                topic = self._topics.get(topic_name(each["channel"], each["account"]))
                if topic is not None:
                    topic.on_subscribed(each["seq"] or 0, each["resumed"])
        elif kind == "error":
            self._on_error(frame)
        elif kind == "goodbye":
            self._on_event(FeedEvent("goodbye", detail=frame["reason"]))
        return None

    def _on_data(self, frame: Frame) -> Frame | None:
        topic = self._topics.get(topic_name(frame["channel"], frame["account"]))
        if topic is None:
            return None
        cursor = topic.cursor
        if cursor is not None and cursor["epoch"] != frame["epoch"] and frame["type"] == "snapshot":
            detail = f"from {cursor['epoch']} to {frame['epoch']}"
            self._on_event(FeedEvent("epoch", topic.name, detail))
        was_current = topic.is_current
        order = topic.receive(frame)
        # A frame that does not fit while the topic catches up answers an earlier request.
        if order == "gap" and was_current:
            self._repair(topic, frame["seq"])
        return frame if order in ("next", "restart") else None

    def _find_lost(self, beat: HeartbeatFrame) -> None:
        for name, seq in beat["seqs"].items():
            topic = self._topics.get(name)
            if topic is None or topic.cursor is None or topic.cursor["epoch"] != beat["epoch"]:
                continue
            if topic.has_lost_frames(seq):
                self._repair(topic, seq + 1)

    def _repair(self, topic: Topic, before_seq: int) -> None:
        after = None if topic.cursor is None else topic.cursor["seq"]
        self._on_event(FeedEvent("gap", topic.name, f"after seq {after}, before seq {before_seq}"))
        self._subscribe([topic.request()])

    def _on_error(self, frame: dict[str, Any]) -> None:
        code, detail, channel = frame["code"], frame["detail"], frame.get("channel")
        topic = None if channel is None else topic_name(channel, frame.get("account"))
        if code == "cursor_too_old":
            self._on_event(FeedEvent("cursor_too_old", topic, detail))
            return
        self._on_event(FeedEvent("error", topic, f"{code}: {detail}"))
        if code not in PASSING:
            raise TallywireError(0, code, detail)

    def _check_liveness(self) -> None:
        check = self._liveness.check(time.monotonic())
        if check.is_ping_due and not self._waiting:
            self._waiting.append({"op": "ping"})
        if check.should_replace_socket:
            raise _Replace("the connection is silent")
        if check.stale is not None:
            self._tell.set(check.stale)
        elif all(topic.is_current for topic in self._topics.values()):
            self._tell.set(Status("live"))
        else:
            self._tell.pending()


def _is_passing(error: TallywireError) -> bool:
    """Whether the same may succeed later: no answer over HTTP, too many requests, or trouble of the server."""
    return error.code in ("network", "timeout") or error.status == 429 or error.status >= 500


def _ignore(_told: object) -> None:
    pass


class Records:
    """The present records of what is followed, by key. Of posts only the newest are kept."""

    POSTS_KEPT = 60

    def __init__(self) -> None:
        self._topics: dict[str, dict[str, Any]] = {}

    def apply(self, frame: Frame) -> None:
        name = topic_name(frame["channel"], frame["account"])
        if frame["type"] == "snapshot":
            records: Iterable[Any] = frame["data"]
            self._topics[name] = {_key_of(record): record for record in records}
            return
        known = self._topics.setdefault(name, {})
        if frame["data"] is None:
            known.pop(frame["key"], None)
        else:
            known[frame["key"]] = frame["data"]
        if frame["channel"] == "tweets" and len(known) > self.POSTS_KEPT:
            del known[min(known, key=lambda key: cast(int, known[key]["created_ts"]))]

    def of(self, channel: DataChannel, account: str | None = None) -> dict[str, Any]:
        return dict(self._topics.get(topic_name(channel, account), {}))


def _key_of(record: dict[str, Any]) -> str:
    """The id of the event, post or account that a record describes; equal to `key` of its updates."""
    for name in ("event_id", "tweet_id", "account"):
        if name in record:
            return str(record[name])
    return "test"
