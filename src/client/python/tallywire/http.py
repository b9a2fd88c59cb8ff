"""One call over HTTP: headers, ETags, the hourly limit, timeout and retries."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from .error import TallywireError, error_from_answer

API_PATH = "/api/v1"
TIMEOUT_S = 10.0
KEPT_ANSWERS = 64


@dataclass(frozen=True)
class Retry:
    """Repeats a call that was answered 429 or 503 with a Retry-After header, after that wait."""

    #: Further attempts.
    attempts: int
    #: Seconds; an answer that asks for a longer wait is raised instead.
    longest_wait: float


@dataclass(frozen=True)
class Quota:
    """What is left of the hourly limit, as of the last answer that counted."""

    limit: int
    remaining: int
    #: When more requests are allowed again, UTC ms by the server's clock.
    reset_ts: int


class EtagCache:
    """Answers by URL with their ETags. Past `capacity` the least recently used answer is dropped."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._answers: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> tuple[str, str] | None:
        with self._lock:
            answer = self._answers.get(url)
            if answer is not None:
                self._answers.move_to_end(url)
            return answer

    def set(self, url: str, etag: str, text: str) -> None:
        with self._lock:
            self._answers[url] = (etag, text)
            self._answers.move_to_end(url)
            if len(self._answers) > self._capacity:
                self._answers.popitem(last=False)


class Http:
    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT_S,
        retry: Retry | None = None,
        kept_answers: int = KEPT_ANSWERS,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        expect_address(url)
        self.quota: Quota | None = None
        self._base = url.rstrip("/") + API_PATH
        self._key = key
        self._timeout = timeout
        self._retry = retry or Retry(attempts=0, longest_wait=0)
        self._cache = EtagCache(kept_answers)
        self._http = http or httpx.Client()
        self._sleep = sleep

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        path: str,
        *,
        method: str = "GET",
        query: Mapping[str, object] | None = None,
        body: object = None,
        accepted: tuple[int, ...] = (),
        timeout: float | None = None,
    ) -> Any:
        """The JSON of the answer. Statuses in `accepted` are answers although they are 300 or more."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = str(httpx.URL(self._base + path, params=given) if given else httpx.URL(self._base + path))
        limit = self._timeout if timeout is None else timeout
        attempt = 0
        while True:
            try:
                return self._call_once(method, url, body, accepted, limit)
            except TallywireError as error:
                is_repeated = attempt < self._retry.attempts and error.status in (429, 503)
                if not is_repeated or error.retry_after is None:
                    raise
                if error.retry_after > self._retry.longest_wait:
                    raise
                attempt += 1
                self._sleep(error.retry_after)

    def _call_once(self, method: str, url: str, body: object, accepted: tuple[int, ...], limit: float) -> Any:
        cached = self._cache.get(url) if method == "GET" else None
        headers: dict[str, str] = {}
        if self._key is not None:
            headers["X-API-Key"] = self._key
        if cached is not None:
            headers["If-None-Match"] = cached[0]
        if body is not None:
            headers["Content-Type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        status, answered, text = self._exchange(method, url, headers, content, limit)
        self.quota = _quota_of(answered) or self.quota
        if status == 304 and cached is not None:
            return json.loads(cached[1])
        if status >= 300 and status not in accepted:
            raise error_from_answer(status, answered, text)
        try:
            value = json.loads(text)
        except ValueError as cause:
            raise TallywireError(status, "not_json", "the answer is not JSON") from cause
        etag = answered.get("etag")
        if etag is not None and status == 200 and method == "GET":
            # As text, so that a caller may change what it got.
            self._cache.set(url, etag, text)
        return value

    def _exchange(
        self, method: str, url: str, headers: dict[str, str], content: bytes | None, limit: float
    ) -> tuple[int, Mapping[str, str], str]:
        # The limit of the library is one for each piece of an answer; ours is one for all of it.
        ends_at = time.monotonic() + limit
        chunks: list[bytes] = []
        try:
            with self._http.stream(method, url, headers=headers, content=content, timeout=limit) as response:
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    if time.monotonic() > ends_at:
                        raise httpx.ReadTimeout("the answer takes too long")
                return response.status_code, response.headers, b"".join(chunks).decode("utf-8", "replace")
        except httpx.TimeoutException as cause:
            raise TallywireError(0, "timeout", f"no complete answer within {limit} s") from cause
        except httpx.HTTPError as cause:
            detail = "the connection broke, or nothing listens at that address"
            raise TallywireError(0, "network", detail) from cause


def expect_address(url: str) -> None:
    """A wrong address would look like a service that is down, for as long as the program runs."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        detail = f"expected an address such as http://127.0.0.1:8080 in url, found {json.dumps(url)}"
        raise TallywireError(0, "url_invalid", detail)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quota_of(headers: Mapping[str, str]) -> Quota | None:
    """None when the call does not count towards a limit."""
    limit, remaining, reset = (
        headers.get(f"x-ratelimit-{name}", "") for name in ("limit", "remaining", "reset")
    )
    if not (limit.isdecimal() and remaining.isdecimal() and reset.isdecimal()):
        return None
    return Quota(int(limit), int(remaining), int(reset) * 1_000)
