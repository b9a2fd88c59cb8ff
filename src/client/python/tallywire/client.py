"""One method per endpoint. An account is named by its path segment; refusals are raised as TallywireError."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import quote

import httpx

from .feed import Feed
from .feed_status import FeedEvent, Status
from .http import API_PATH, KEPT_ANSWERS, TIMEOUT_S, Http, Quota, Retry
from .records import (
    AccountsAnswer,
    AlertRuleRequest,
    AlertRulesAnswer,
    Calibration,
    CountersAnswer,
    CryptoAnswer,
    DeadAlertsAnswer,
    Health,
    HeartbeatFrame,
    HistoryAnswer,
    LagAnswer,
    MadeAlertRule,
    PerformanceHistory,
    PerformanceOverview,
    PortfolioAnswer,
    PostsAnswer,
    PredictionAnswer,
    RebalancingAnswer,
    RemovedAlertRule,
    SignalsAnswer,
    UsageByEndpoint,
    UsageErrors,
    UsageStats,
    UsageSummary,
    WaitlistPlace,
    WaitlistRequest,
)

#: UTC ms or ISO 8601.
Instant = int | str


class Client:
    """Keeps the ETags of its last answers, so that one that has not changed costs no quota. Methods may be called
    from several threads. Each takes `timeout` in seconds, for one attempt with its body."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        accounts: Sequence[str] | None = None,
        timeout: float = TIMEOUT_S,
        retry: Retry | None = None,
        kept_answers: int = KEPT_ANSWERS,
        http: httpx.Client | None = None,
    ) -> None:
        self._http = Http(url, key, timeout=timeout, retry=retry, kept_answers=kept_answers, http=http)
        self._url = url
        self._key = key
        self._accounts = accounts
        self.performance = Performance(self._http)
        self.alerts = Alerts(self._http)
        self.usage = Usage(self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    @property
    def quota(self) -> Quota | None:
        """What is left of the hourly limit; None before the first answer that has it."""
        return self._http.quota

    def feed(
        self,
        *,
        on_status: Callable[[Status], None] | None = None,
        on_event: Callable[[FeedEvent], None] | None = None,
        on_heartbeat: Callable[[HeartbeatFrame], None] | None = None,
        reconnect: tuple[float, float] = (0.5, 30.0),
        replay_within: float | None = None,
    ) -> Feed:
        """The feed of the same service, with the same key."""
        return Feed(
            "ws" + self._url.rstrip("/").removeprefix("http") + API_PATH + "/feed",
            self._key,
            load_accounts=self._load_accounts,
            on_status=on_status,
            on_event=on_event,
            on_heartbeat=on_heartbeat,
            reconnect=reconnect,
            replay_within=replay_within,
        )

    def _load_accounts(self) -> Sequence[str]:
        if self._accounts is not None:
            return self._accounts
        return [account["account"] for account in self.accounts()["data"]]

    def accounts(self, *, timeout: float | None = None) -> AccountsAnswer:
        """The accounts that the service follows, with their active events."""
        return cast(AccountsAnswer, self._http.call("/accounts", timeout=timeout))

    def meta(
        self, account: str, *, as_of: Instant | None = None, timeout: float | None = None
    ) -> CountersAnswer:
        path = f"/meta/{_segment(account)}"
        return cast(CountersAnswer, self._http.call(path, query={"as_of": as_of}, timeout=timeout))

    def crypto(self, *, timeout: float | None = None) -> CryptoAnswer:
        return cast(CryptoAnswer, self._http.call("/meta/crypto", timeout=timeout))

    def tweets(
        self,
        account: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        as_of: Instant | None = None,
        timeout: float | None = None,
    ) -> PostsAnswer:
        query = {"limit": limit, "offset": offset, "as_of": as_of}
        path = f"/meta/{_segment(account)}/tweets"
        return cast(PostsAnswer, self._http.call(path, query=query, timeout=timeout))

    def lag(self, account: str, *, as_of: Instant | None = None, timeout: float | None = None) -> LagAnswer:
        path = f"/meta/{_segment(account)}/lag"
        return cast(LagAnswer, self._http.call(path, query={"as_of": as_of}, timeout=timeout))

    def prediction(
        self, account: str, *, as_of: Instant | None = None, timeout: float | None = None
    ) -> PredictionAnswer:
        path = f"/prediction/{_segment(account)}"
        return cast(PredictionAnswer, self._http.call(path, query={"as_of": as_of}, timeout=timeout))

    def history(
        self,
        account: str,
        event: int,
        *,
        from_: Instant | None = None,
        to: Instant | None = None,
        step: int | None = None,
        bucket: str | None = None,
        timeout: float | None = None,
    ) -> HistoryAnswer:
        """Market and model of an event over time, a page at a time: `next_to_ts` of an answer is the `to` of the
        page before it."""
        query = {"from": from_, "to": to, "step": step, "bucket": bucket}
        path = f"/history/{_segment(account)}/{event}"
        return cast(HistoryAnswer, self._http.call(path, query=query, timeout=timeout))

    def signals(
        self,
        account: str,
        *,
        bankroll: float | None = None,
        only_with_signals: bool | None = None,
        include_unproven: bool | None = None,
        as_of: Instant | None = None,
        timeout: float | None = None,
    ) -> SignalsAnswer:
        query = {
            "bankroll": bankroll,
            "only_with_signals": only_with_signals,
            "include_unproven": include_unproven,
            "as_of": as_of,
        }
        return cast(
            SignalsAnswer, self._http.call(f"/signals/{_segment(account)}", query=query, timeout=timeout)
        )

    def portfolio(
        self, account: str, *, wallet: str, bankroll: float | None = None, timeout: float | None = None
    ) -> PortfolioAnswer:
        query = {"wallet": wallet, "bankroll": bankroll}
        path = f"/portfolio/{_segment(account)}"
        return cast(PortfolioAnswer, self._http.call(path, query=query, timeout=timeout))

    def rebalancing(
        self,
        account: str,
        *,
        wallet: str,
        bankroll: float,
        threshold: float | None = None,
        timeout: float | None = None,
    ) -> RebalancingAnswer:
        query = {"wallet": wallet, "bankroll": bankroll, "threshold": threshold}
        path = f"/portfolio/{_segment(account)}/rebalancing"
        return cast(RebalancingAnswer, self._http.call(path, query=query, timeout=timeout))

    def health(self, *, timeout: float | None = None) -> Health:
        """A service that is unavailable is a record, not an error."""
        return cast(Health, self._http.call("/health", accepted=(503,), timeout=timeout))

    def join_waitlist(self, body: WaitlistRequest, *, timeout: float | None = None) -> WaitlistPlace:
        return cast(WaitlistPlace, self._http.call("/waitlist", method="POST", body=body, timeout=timeout))


class Performance:
    """How good the forecasts were."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def overview(self, *, account: str | None = None, timeout: float | None = None) -> PerformanceOverview:
        return cast(PerformanceOverview, self._get("overview", {"account": account}, timeout))

    def history(
        self,
        *,
        horizon: int | None = None,
        days: int | None = None,
        account: str | None = None,
        timeout: float | None = None,
    ) -> PerformanceHistory:
        query = {"horizon": horizon, "days": days, "account": account}
        return cast(PerformanceHistory, self._get("history", query, timeout))

    def calibration(self, *, account: str | None = None, timeout: float | None = None) -> Calibration:
        return cast(Calibration, self._get("calibration", {"account": account}, timeout))

    def _get(self, name: str, query: dict[str, Any], timeout: float | None) -> object:
        return self._http.call(f"/performance/{name}", query=query, timeout=timeout)


class Alerts:
    """The rules of the key, which has to be one of tier PRO."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, *, timeout: float | None = None) -> AlertRulesAnswer:
        return cast(AlertRulesAnswer, self._http.call("/alerts", timeout=timeout))

    def add(self, rule: AlertRuleRequest, *, timeout: float | None = None) -> MadeAlertRule:
        """The secret of a webhook is in this answer and in no other."""
        return cast(MadeAlertRule, self._http.call("/alerts", method="POST", body=rule, timeout=timeout))

    def remove(self, id: str, *, timeout: float | None = None) -> RemovedAlertRule:
        answer = self._http.call("/alerts", method="DELETE", query={"id": id}, timeout=timeout)
        return cast(RemovedAlertRule, answer)

    def dead(self, *, limit: int | None = None, timeout: float | None = None) -> DeadAlertsAnswer:
        return cast(
            DeadAlertsAnswer, self._http.call("/alerts/dead", query={"limit": limit}, timeout=timeout)
        )


class Usage:
    """What the key has used."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def summary(self, *, days: int | None = None, timeout: float | None = None) -> UsageSummary:
        return cast(UsageSummary, self._http.call("/usage/summary", query={"days": days}, timeout=timeout))

    def by_endpoint(self, *, start: int, end: int, timeout: float | None = None) -> UsageByEndpoint:
        query = {"start": start, "end": end}
        return cast(UsageByEndpoint, self._http.call("/usage/by-endpoint", query=query, timeout=timeout))

    def errors(self, *, limit: int | None = None, timeout: float | None = None) -> UsageErrors:
        return cast(UsageErrors, self._http.call("/usage/errors", query={"limit": limit}, timeout=timeout))

    def stats(self, *, timeout: float | None = None) -> UsageStats:
        return cast(UsageStats, self._http.call("/usage/stats", timeout=timeout))


def _segment(account: str) -> str:
    return quote(account, safe="")
