"""The error of a call that was refused or got no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .records import Fault


class TallywireError(Exception):
    """`code` is stable: the server's own, `invalid_request` for a 422 (with every fault in `faults`),
    `http_<status>` when a proxy answered, or one of the client: `network`, `timeout`, `not_json`, `url_invalid`."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        faults: Sequence[Fault] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        #: HTTP status of the answer; 0 when there was none.
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = list(faults)
        #: How long the server asks the caller to wait, in seconds.
        self.retry_after = retry_after


def error_from_answer(status: int, headers: Mapping[str, str], text: str) -> TallywireError:
    """The error in an answer of status 300 or more."""
    body = _parse_object(text)
    retry_after = _retry_after(headers)
    detail = body.get("detail")
    if isinstance(detail, list):
        faults: list[Fault] = [each for each in detail if _is_fault(each)]
        told = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in faults
        )
        return TallywireError(status, "invalid_request", told, faults=faults, retry_after=retry_after)
    # A proxy in front of the service answers in its own format.
    code = body.get("code")
    return TallywireError(
        status,
        code if isinstance(code, str) else f"http_{status}",
        detail if isinstance(detail, str) else text[:200],
        retry_after=retry_after,
    )


def _parse_object(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _is_fault(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("loc"), list) and "msg" in value


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads the form in seconds; this server never sends the form with a date."""
    text = headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None
