from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any, cast

import websockets
from stage import GIVE_UP_S, PROXY, URL, act, client, eventually, in_time
from websockets.exceptions import ConnectionClosed

from tallywire import Channel, Client, Cursor, Feed, FeedEvent, Records, Status, TallywireError
from tallywire.feed import reconnect_delay
from tallywire.liveness import Liveness
from tallywire.records import DataChannel, Frame, HeartbeatFrame

QUICK = (0.01, 0.05)


class Reader:
    """Keeps what comes, in the background."""

    def __init__(self, url: str, *channels: Channel, key: str | None = "demo_pro") -> None:
        self.frames: list[Frame] = []
        self.statuses: list[Status] = []
        self.events: list[FeedEvent] = []
        self.beats: list[HeartbeatFrame] = []
        service = Client(url, key)
        feed = service.feed(
            on_status=self.statuses.append,
            on_event=self.events.append,
            on_heartbeat=self.beats.append,
            reconnect=QUICK,
        )
        self._service = service
        self._reading = asyncio.ensure_future(self._read(feed.follow(*channels)))

    async def _read(self, frames: AsyncIterator[Frame]) -> None:
        async with aclosing(cast(Any, frames)) as each:
            async for frame in each:
                self.frames.append(frame)

    @property
    def begun(self) -> set[tuple[str, str | None]]:
        return {(frame["channel"], frame["account"]) for frame in self.frames if frame["type"] == "snapshot"}

    async def until(self, what: str, holds: Callable[[], bool]) -> None:
        await eventually(what, lambda: self._reading.done() or holds())
        if self._reading.done():
            self._reading.result()

    async def stop(self) -> None:
        self._reading.cancel()
        await asyncio.wait({self._reading})
        self._service.close()


def cursor_of(frame: Frame) -> Cursor:
    return {"epoch": frame["epoch"], "seq": frame["seq"]}


class Following(unittest.IsolatedAsyncioTestCase):
    async def test_covers_every_channel_of_every_account(self) -> None:
        of_accounts: tuple[DataChannel, ...] = ("counters", "tweets", "velocity", "prediction", "lag")
        signals = Channel("signals", "account_a", bankroll=250, include_unproven=True)
        channels = [Channel(name) for name in of_accounts]
        reader = Reader(URL, *channels, Channel("crypto"), Channel("test"), signals)
        wanted: set[tuple[str, str | None]] = {("signals", "account_a"), ("crypto", None), ("test", None)}
        wanted |= {(name, account) for name in of_accounts for account in ("account_a", "account_b")}
        await reader.until("every channel begins", lambda: reader.begun >= wanted)
        await reader.stop()
        self.assertEqual(reader.begun, wanted)
        records = Records()
        for frame in reader.frames:
            records.apply(frame)
        for key, record in records.of("counters", "account_a").items():
            self.assertEqual(key, str(record["event_id"]))
        self.assertLessEqual(set(records.of("lag", "account_b")), {"account_b"})
        self.assertLessEqual(len(records.of("tweets", "account_a")), Records.POSTS_KEPT)

    async def test_goes_on_after_a_cursor_of_an_earlier_program(self) -> None:
        async def seen() -> None:
            feed = client().feed(reconnect=QUICK)
            async with aclosing(cast(Any, feed.tweets("account_a"))) as frames:
                first = await anext(frames)
                self.assertEqual(first["type"], "snapshot")
                act("post")
                update = await anext(frames)
                self.assertEqual((update["type"], update["prev_seq"]), ("update", first["seq"]))
            async with aclosing(cast(Any, feed.tweets("account_a", resume=cursor_of(first)))) as frames:
                self.assertEqual(await anext(frames), update)

        await in_time(seen())

    async def test_loses_no_frame_over_cut_connections(self) -> None:
        channels = (Channel("tweets", "account_a"), Channel("counters", "account_a"))
        whole, cut = Reader(URL, *channels), Reader(PROXY, *channels)
        for reader in (whole, cut):
            await reader.until("both channels begin", lambda: len(reader.begun) == 2)
        for cuts in range(1, 5):
            # Posts that nobody asked for may have ended the wait below while there is no connection to be cut.
            await cut.until("it is live", lambda: cut.statuses[-1].state == "live")
            act("post")
            act("cut")
            act("post")
            await cut.until("it was lost", lambda: count_of("down", cut.statuses) >= cuts)
            for reader in (whole, cut):
                await reader.until("both posts came", lambda: len(self.updates(reader, "tweets")) >= 2 * cuts)
        await whole.stop()
        await cut.stop()
        for channel in ("tweets", "counters"):
            kept = frame_seqs(cut, channel)
            self.assertEqual(kept, sorted(set(kept)), "each once and in order")
            snapshots = [
                frame for frame in cut.frames if frame["type"] == "snapshot" and frame["channel"] == channel
            ]
            self.assertEqual(len(snapshots), 1)
        ends = min(frame_seqs(whole, "tweets")[-1], frame_seqs(cut, "tweets")[-1])
        starts = max(frame_seqs(whole, "tweets")[0], frame_seqs(cut, "tweets")[0])
        both = [
            [frame["data"] for frame in self.updates(each, "tweets") if starts < frame["seq"] <= ends]
            for each in (whole, cut)
        ]
        self.assertEqual(both[0], both[1])
        kept = frame_seqs(cut, "tweets")
        self.assertEqual(kept, list(range(kept[0], kept[-1] + 1)), "without a gap")

    def updates(self, reader: Reader, channel: str) -> list[Any]:
        return [frame for frame in reader.frames if frame["type"] == "update" and frame["channel"] == channel]

    async def test_tells_a_dead_connection_from_a_quiet_one(self) -> None:
        reader = Reader(PROXY, Channel("counters", "account_a"))
        await reader.until("heartbeats come while nothing changes", lambda: len(reader.beats) > 2)
        act("stall")
        try:
            await reader.until("silence is noticed", lambda: Status("stale", "connection") in reader.statuses)
            act("refuse")
            act("cut")
            await reader.until(
                "nothing listens", lambda: any(each.reason == "unreachable" for each in reader.statuses)
            )
        finally:
            act("resume")
            act("accept")
        beats = len(reader.beats)
        await reader.until("heartbeats come again", lambda: len(reader.beats) > beats)
        await reader.stop()


class Refused(unittest.IsolatedAsyncioTestCase):
    async def test_readers_are_told_the_code(self) -> None:
        cases: list[tuple[str | None, Channel, str]] = [
            ("no_such_key", Channel("counters", "account_a"), "key_invalid"),
            (None, Channel("signals", "account_a"), "tier_too_low"),
            ("demo_pro", Channel("counters", "nobody"), "account_unknown"),
        ]
        for key, channel, code in cases:
            reader = Reader(URL, channel, key=key)
            with self.assertRaises(TallywireError) as caught:
                await reader.until("it is refused", lambda: False)
            await reader.stop()
            self.assertEqual(caught.exception.code, code)
            self.assertEqual((reader.statuses[-1].state, reader.statuses[-1].reason), ("down", "refused"))

    async def test_channels_make_sense(self) -> None:
        feed = client().feed()
        with self.assertRaisesRegex(ValueError, "a cursor belongs to one account"):
            feed.tweets(resume={"epoch": "e", "seq": 1})
        with self.assertRaisesRegex(ValueError, "at least one channel"):
            feed.follow()


def frame_seqs(reader: Reader, channel: str) -> list[int]:
    return [frame["seq"] for frame in reader.frames if frame["channel"] == channel]


def count_of(state: str, statuses: list[Status]) -> int:
    return sum(status.state == state for status in statuses)


def update(seq: int, prev_seq: int, epoch: str = "e") -> dict[str, Any]:
    head: dict[str, Any] = {
        "type": "update",
        "channel": "test",
        "account": None,
        "epoch": epoch,
        "ts": 1,
        "cause": [],
    }
    return {**head, "seq": seq, "prev_seq": prev_seq, "key": "test", "data": {"observation": seq, "ts": 1}}


def snapshot(seq: int, epoch: str = "e") -> dict[str, Any]:
    return {**update(seq, 0, epoch), "type": "snapshot", "prev_seq": None, "data": []}


class Order(unittest.IsolatedAsyncioTestCase):
    """Against a server that sends what a test tells it to."""

    async def frames_of(self, *scripts: list[dict[str, Any]]) -> tuple[list[int], list[str], list[Any]]:
        """Seqs that a reader got of one script for each subscription, its events, and the cursors that it sent."""
        waiting = list(scripts)
        cursors: list[Any] = []

        async def serve(socket: Any, _path: str = "") -> None:
            # The reader leaves without a word.
            with suppress(ConnectionClosed):
                async for text in socket:
                    message = json.loads(text)
                    if message["op"] != "subscribe":
                        continue
                    [wanted] = [each for each in message["channels"] if each["channel"] == "test"]
                    cursors.append(wanted.get("resume", {}).get("seq"))
                    for frame in waiting.pop(0) if waiting else []:
                        await socket.send(json.dumps(frame))

        server = await cast(Any, websockets).serve(serve, "127.0.0.1", 0)
        [listening, *_] = server.sockets
        events: list[FeedEvent] = []
        feed = Feed(
            f"ws://127.0.0.1:{listening.getsockname()[1]}",
            None,
            load_accounts=list,
            on_event=events.append,
            reconnect=QUICK,
        )
        seqs: list[int] = []

        async def read() -> None:
            async with aclosing(cast(Any, feed.test())) as frames:
                async for frame in frames:
                    seqs.append(frame["seq"])
                    if frame["seq"] >= 9:
                        return

        await asyncio.wait_for(read(), GIVE_UP_S)
        server.close()
        await server.wait_closed()
        return seqs, [event.type for event in events], cursors

    async def test_drops_frames_that_were_seen(self) -> None:
        frames = [snapshot(3), update(4, 3), update(4, 3), update(3, 2), update(9, 4)]
        self.assertEqual(await self.frames_of(frames), ([3, 4, 9], [], [None]))

    async def test_requests_missing_frames_again(self) -> None:
        first, again = [snapshot(3), update(6, 5)], [update(4, 3), update(5, 4), update(6, 5), update(9, 6)]
        self.assertEqual(await self.frames_of(first, again), ([3, 4, 5, 6, 9], ["gap"], [None, 3]))

    async def test_takes_merged_frames_of_a_slow_reader(self) -> None:
        frames = [snapshot(3), {**update(7, 3), "merged": 3}, {**update(9, 5), "merged": 1}]
        self.assertEqual(await self.frames_of(frames), ([3, 7, 9], [], [None]))

    async def test_starts_over_when_the_numbering_does(self) -> None:
        frames = [snapshot(5), snapshot(2, "f"), update(9, 2, "f")]
        self.assertEqual(await self.frames_of(frames), ([5, 2, 9], ["epoch"], [None]))


class Waits(unittest.TestCase):
    def test_grow_up_to_the_longest(self) -> None:
        self.assertEqual([reconnect_delay((0.5, 30), each, 0) for each in (0, 3, 99)], [0.5, 0.5, 0.5])
        self.assertEqual([reconnect_delay((0.5, 30), each, 1) for each in (0, 1, 3, 99)], [1, 2, 8, 30])


def beat(*stale: str) -> HeartbeatFrame:
    return {
        "type": "heartbeat",
        "channel": "heartbeat",
        "epoch": "e",
        "ts": 1,
        "seqs": {},
        "ages_ms": {},
        "stale": list(stale),
        "history_percent": {},
        "events_known": True,
    }


class Silence(unittest.TestCase):
    """By a clock of the test's own."""

    def status_at(
        self, liveness: Liveness, start: float, end: float, pipeline_ts: int | None
    ) -> Status | None:
        """The status after a time in which checks are made, and pings are answered with `pipeline_ts` ms ago."""
        at = start
        stale: Status | None = None
        while at < end:
            at = round(at + 0.2, 1)
            check = liveness.check(at)
            stale = check.stale
            if check.is_ping_due and pipeline_ts is not None:
                liveness.on_pong({"type": "pong", "id": 1, "ts": pipeline_ts, "pipeline_ts": 0}, at)
        return stale

    def test_is_told_apart_by_what_still_answers(self) -> None:
        for pipeline_ts, reason in ((None, "connection"), (2_000, "graph"), (100, "fan_out")):
            liveness = Liveness(0)
            liveness.on_heartbeat(beat(), 0)
            self.assertIsNone(self.status_at(liveness, 0, 2.2, pipeline_ts))
            self.assertEqual(self.status_at(liveness, 2.2, 3, pipeline_ts), Status("stale", reason))

    def test_of_a_source_is_what_the_server_says(self) -> None:
        liveness = Liveness(0)
        liveness.on_heartbeat(beat("posts/account_a"), 0.1)
        self.assertEqual(liveness.check(0.2).stale, Status("stale", "source", ("posts/account_a",)))
        liveness.on_heartbeat(beat(), 0.3)
        self.assertIsNone(liveness.check(0.4).stale)

    def test_replaces_a_dead_socket_but_not_because_of_the_streams(self) -> None:
        for pipeline_ts, is_replaced in ((None, True), (2_000, False)):
            liveness = Liveness(0)
            self.status_at(liveness, 0, 10, pipeline_ts)
            self.assertEqual(liveness.check(10.1).should_replace_socket, is_replaced)

    def test_of_a_busy_reader_does_not_count(self) -> None:
        liveness = Liveness(0)
        liveness.on_heartbeat(beat(), 0)
        self.assertIsNone(liveness.check(60).stale)
