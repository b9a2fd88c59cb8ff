from __future__ import annotations

import inspect
import json
import socket
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
from stage import GIVE_UP_S, URL, client

from tallywire import Client, Retry, TallywireError

WALLET = "0x" + "0" * 40


class Calls(unittest.TestCase):
    def test_call_every_endpoint_with_every_parameter(self) -> None:
        with client("demo_internal") as service:
            methods: dict[str, Callable[..., Any]] = {
                "get /accounts": service.accounts,
                "get /meta/{account}": service.meta,
                "get /meta/crypto": service.crypto,
                "get /meta/{account}/tweets": service.tweets,
                "get /meta/{account}/lag": service.lag,
                "get /prediction/{account}": service.prediction,
                "get /history/{account}/{event}": service.history,
                "get /signals/{account}": service.signals,
                "get /portfolio/{account}": service.portfolio,
                "get /portfolio/{account}/rebalancing": service.rebalancing,
                "get /performance/overview": service.performance.overview,
                "get /performance/history": service.performance.history,
                "get /performance/calibration": service.performance.calibration,
                "get /alerts": service.alerts.list,
                "post /alerts": service.alerts.add,
                "delete /alerts": service.alerts.remove,
                "get /alerts/dead": service.alerts.dead,
                "get /usage/summary": service.usage.summary,
                "get /usage/by-endpoint": service.usage.by_endpoint,
                "get /usage/errors": service.usage.errors,
                "get /usage/stats": service.usage.stats,
                "get /health": service.health,
                "post /waitlist": service.join_waitlist,
            }
            documented = documented_parameters()
            self.assertEqual(sorted(methods), sorted(documented))
            for name, method in methods.items():
                taken = {each.rstrip("_") for each in inspect.signature(method).parameters}
                self.assertEqual(taken - {"timeout", "rule", "body"}, documented[name], name)
            until_known(service)
            [event, *_] = service.meta("account_a")["data"]
            answers: list[Any] = [
                service.accounts(),
                service.crypto(),
                service.tweets("account_b", limit=3, offset=0),
                service.lag("account_a"),
                service.prediction("account_a"),
                service.history("account_a", event["event_id"], step=300),
                service.signals("account_a", bankroll=500, include_unproven=True, only_with_signals=False),
                service.portfolio("account_b", wallet=WALLET),
                service.rebalancing("account_a", wallet=WALLET, bankroll=1_000),
                service.alerts.list(),
                service.alerts.dead(limit=2),
            ]
            for answer in answers:
                self.assertGreater(answer["timestamp"], 0)
                self.assertIsInstance(answer["data"], list)
            self.assertIn(service.health()["status"], ("ok", "starting", "degraded", "unavailable"))
            self.assertEqual(service.performance.overview()["error_24h"]["sample_size"], 0)
            self.assertEqual(service.performance.history(horizon=48)["data"], [])
            self.assertIn("data", service.performance.calibration(account="account_a"))
            self.assertEqual(service.usage.summary(days=1)["days"], 1)
            self.assertEqual(service.usage.errors(limit=5)["limit"], 5)
            self.assertEqual(service.usage.by_endpoint(start=0, end=10)["end"], 10)
            self.assertTrue(service.usage.stats()["tracking"]["enabled"])
            place = service.join_waitlist({"type": "human", "case": "a test", "email": "python@b.example"})
            self.assertGreaterEqual(place["position"], 1)

    def test_ask_about_the_past(self) -> None:
        with client() as service:
            now = service.health()["timestamp"]
            self.assertEqual(service.meta("account_a", as_of=now)["timestamp"], now)

    def test_make_and_remove_an_alert(self) -> None:
        with client() as service:
            made = service.alerts.add(
                {
                    "account": "account_a",
                    "when": "settlement_delta >= 1000000",
                    "target": {"type": "webhook", "url": "https://hooks.example/a"},
                }
            )
            self.assertTrue((made["secret"] or "").startswith("whsec_"))
            self.assertIn(made["id"], [rule["id"] for rule in service.alerts.list()["data"]])
            self.assertEqual(service.alerts.remove(made["id"]), {"id": made["id"]})
            self.assertNotIn(made["id"], [rule["id"] for rule in service.alerts.list()["data"]])

    def test_tell_what_is_left_of_the_limit(self) -> None:
        with client() as service:
            self.assertIsNone(service.quota)
            answer = service.meta("account_a")
            assert service.quota is not None
            self.assertEqual(service.quota.limit, 10_000)
            self.assertLess(service.quota.remaining, 10_000)
            self.assertGreater(service.quota.reset_ts, answer["timestamp"])


class Refusals(unittest.TestCase):
    def test_have_the_code_of_the_server_and_every_fault(self) -> None:
        cases: list[tuple[str | None, Callable[[Client], object], int, str]] = [
            ("demo_pro", lambda service: service.usage.stats(), 401, "tier_too_low"),
            ("demo_pro", lambda service: service.meta("nobody"), 404, "account_unknown"),
            ("demo_pro", lambda service: service.meta("a/../b?c"), 404, "account_unknown"),
            ("no_such_key", lambda service: service.meta("account_a"), 401, "key_invalid"),
            (None, lambda service: service.signals("account_a"), 401, "key_missing"),
            (
                "demo_pro",
                lambda service: service.tweets("account_a", limit=0, offset=-1),
                422,
                "invalid_request",
            ),
        ]
        for key, call, status, code in cases:
            with client(key) as service, self.assertRaises(TallywireError) as caught:
                call(service)
            self.assertEqual((caught.exception.status, caught.exception.code), (status, code))
        self.assertEqual(
            [fault["loc"] for fault in caught.exception.faults], [["query", "limit"], ["query", "offset"]]
        )
        self.assertRegex(caught.exception.detail, r"query\.limit: .*; query\.offset: ")

    def test_of_a_spent_limit_say_how_long_to_wait(self) -> None:
        with Client(URL, "demo_free", kept_answers=0) as service, self.assertRaises(TallywireError) as caught:
            for _ in range(101):
                service.meta("account_a")
        self.assertEqual((caught.exception.status, caught.exception.code), (429, "rate_limited"))
        self.assertGreater(caught.exception.retry_after or 0, 0)
        assert service.quota is not None
        self.assertEqual((service.quota.limit, service.quota.remaining), (100, 0))

    def test_of_wrong_addresses_come_at_once(self) -> None:
        for url in ("127.0.0.1:8080", "ftp://a.example", "http://"):
            with self.assertRaises(TallywireError) as caught:
                Client(url)
            self.assertEqual(caught.exception.code, "url_invalid")


class Troubles(unittest.TestCase):
    """Against a server that answers as it is told."""

    def setUp(self) -> None:
        self.answers: list[tuple[int, dict[str, str], str]] = []
        self.tags: list[str | None] = []
        answers, tags = self.answers, self.tags

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                tags.append(self.headers.get("If-None-Match"))
                status, headers, text = answers.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        self.addCleanup(serving.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def test_are_waited_out_as_often_as_asked(self) -> None:
        busy = (503, {"Retry-After": "0"}, '{"detail":"starting","code":"starting"}')
        self.answers.extend([busy, (429, {"Retry-After": "0"}, "{}"), (200, {}, '{"data":[],"timestamp":1}')])
        with client(url=self.url, retry=Retry(attempts=2, longest_wait=1)) as service:
            self.assertEqual(service.accounts(), {"data": [], "timestamp": 1})
        self.answers.extend([busy, busy])
        with client(url=self.url, retry=Retry(attempts=1, longest_wait=1)) as service:
            self.assertEqual(self.code_of(service), (503, "starting"))
        self.answers.append((429, {"Retry-After": "60"}, "{}"))
        with client(url=self.url, retry=Retry(attempts=5, longest_wait=1)) as service:
            self.assertEqual(self.code_of(service), (429, "http_429"))

    def test_are_none_when_an_answer_has_not_changed(self) -> None:
        self.answers.extend([(200, {"ETag": 'W/"1"'}, '{"data":[1]}'), (304, {}, ""), (304, {}, "")])
        with client(url=self.url) as service:
            for _ in range(3):
                answer: Any = service.accounts()
                self.assertEqual(answer, {"data": [1]})
                # What a caller does to an answer is not in the next one.
                answer["data"].clear()
        self.assertEqual(self.tags, [None, 'W/"1"', 'W/"1"'])
        with Client(self.url, kept_answers=1) as service:
            self.answers.extend([(200, {"ETag": each}, "{}") for each in ("1", "2", "3")])
            service.accounts()
            service.crypto()
            service.accounts()
        self.assertEqual(self.tags[3:], [None, None, None])

    def test_have_codes_of_the_client(self) -> None:
        with client(url=self.url) as service:
            self.answers.append((502, {}, "<h1>Bad gateway</h1>"))
            self.assertEqual(self.code_of(service), (502, "http_502"))
            self.answers.append((200, {}, "<h1>Welcome</h1>"))
            self.assertEqual(self.code_of(service), (200, "not_json"))
            self.answers.append((302, {"Location": "http://login.example"}, ""))
            self.assertEqual(self.code_of(service), (302, "http_302"))
            self.answers.append((503, {}, '{"status":"unavailable"}'))
            self.assertEqual(service.health(), {"status": "unavailable"})
        slow = httpx.MockTransport(late)
        with Client(self.url, http=httpx.Client(transport=slow)) as service:
            self.assertEqual(self.code_of(service), (0, "timeout"))
        with socket.socket() as deaf:
            # It has a port, and does not listen.
            deaf.bind(("127.0.0.1", 0))
            with client(url=f"http://127.0.0.1:{deaf.getsockname()[1]}") as service:
                self.assertEqual(self.code_of(service), (0, "network"))

    def code_of(self, service: Client) -> tuple[int, str]:
        with self.assertRaises(TallywireError) as caught:
            service.accounts()
        return caught.exception.status, caught.exception.code


def until_known(service: Client) -> None:
    """The events of every market are read some time after the start."""
    ends_at = time.monotonic() + GIVE_UP_S
    while True:
        try:
            service.crypto()
            return
        except TallywireError as error:
            if error.code != "events_unknown" or time.monotonic() > ends_at:
                raise
        time.sleep(0.1)


def late(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("late", request=request)


def documented_parameters() -> dict[str, set[str]]:
    """Of the endpoints that answer with records, from the service's own document."""
    paths = json.loads(httpx.get(f"{URL}/api/v1/openapi.json", timeout=90).text)["paths"]
    found: dict[str, set[str]] = {}
    for path, operations in paths.items():
        if not path.startswith("/api/v1/") or path.endswith((".json", "/feed")):
            continue
        for method, operation in operations.items():
            name = f"{method} {path.removeprefix('/api/v1')}"
            queries = {each["name"] for each in operation.get("parameters", []) if each.get("in") == "query"}
            found[name] = queries | {part[1:-1] for part in path.split("/") if part.startswith("{")}
    return found
