"""What the tests are given: a running service, a proxy in front of it that cuts, and who works both."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import httpx

from tallywire import Client, Retry

URL = os.environ["TALLYWIRE_URL"]
#: The same service, over connections that can be cut.
PROXY = os.environ["TALLYWIRE_PROXY"]
#: Files of `tallywire export`, and a folder to write to.
EXPORTS = os.environ["TALLYWIRE_EXPORTS"]
#: Far longer than any machine needs: it only decides how soon a failure shows.
GIVE_UP_S = 90.0


def act(name: str) -> None:
    """`post`: account_a posts; `cut`: cuts every connection of the proxy; `stall` and `resume`: nothing passes it;
    `refuse` and `accept`: it takes no connections, or does again."""
    httpx.post(f"{os.environ['TALLYWIRE_CONTROL']}/{name}", timeout=GIVE_UP_S).raise_for_status()


def client(key: str | None = "demo_pro", *, url: str = URL, retry: Retry | None = None) -> Client:
    return Client(url, key, timeout=GIVE_UP_S, retry=retry)


async def eventually(what: str, holds: Callable[[], bool]) -> None:
    ends_at = time.monotonic() + GIVE_UP_S
    while not holds():
        if time.monotonic() > ends_at:
            raise AssertionError(f"never came: {what}")
        await asyncio.sleep(0.02)


async def in_time(what: Awaitable[None]) -> None:
    await asyncio.wait_for(what, GIVE_UP_S)
