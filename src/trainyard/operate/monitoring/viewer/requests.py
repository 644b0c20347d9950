"""What a browser asks for, and what is refused: the page of somebody else must not be able to ask anything.

A name of a foreign page can be made to lead to 127.0.0.1 (DNS rebinding), and its scripts then count as ours; the
header Host still says the foreign name: https://portswigger.net/web-security/host-header
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from trainyard.monitoring.dashboard import VARIABLES
from trainyard.operate.monitoring.viewer.selection import LONGEST_VALUE, Selection, Window, window

_NUMBER = re.compile(r"[0-9]{1,11}")
_LONGEST_S = 31 * 86_400
_SHORTEST_S = 60
_HOUR_S = 3600
_MOST_VALUES = 50


class BadRequestError(Exception):
    """What is asked for cannot be answered. Its text says why."""


@dataclass(frozen=True, slots=True)
class ViewerRequest:
    """A request that may be answered."""

    path: str
    fields: Mapping[str, list[str]]

    def selection(self) -> Selection:
        """Return the chosen cluster, queue, nodes, users and jobs."""
        return Selection(**{name: self._values(name) for name in VARIABLES})

    def window(self, now_s: float | None = None) -> Window:
        """Return the time asked for, by default the last hour. Raises BadRequestError.

        The page asks from when to when; its own address says how long before its end, or before now.
        """
        now = time.time() if now_s is None else now_s
        end = min(self._number("to", now), now)
        start = self._number("from", end - self._number("range", _HOUR_S))
        if not _SHORTEST_S <= end - start <= _LONGEST_S:
            raise BadRequestError("from has to be a minute to 31 days before to")
        return window(start, end)

    def _number(self, name: str, default: float) -> float:
        values = self.fields.get(name, [])
        if not values:
            return default
        if len(values) > 1 or not _NUMBER.fullmatch(values[0]):
            raise BadRequestError(f"{name} has to be one number of seconds since 1970")
        return float(values[0])

    def _values(self, name: str) -> tuple[str, ...]:
        values = tuple(sorted({value for value in self.fields.get(name, []) if value}))
        if len(values) > _MOST_VALUES or any(len(value) > LONGEST_VALUE for value in values):
            raise BadRequestError(f"{name} has too many values, or too long ones")
        return values


def parse_request(target: str) -> ViewerRequest:
    """Return what the first line of a request asks for. Raises BadRequestError."""
    try:
        parts = urlsplit(target)
        fields = parse_qs(parts.query, keep_blank_values=True, max_num_fields=200, errors="strict")
    except ValueError as error:
        raise BadRequestError("this is no address") from error
    return ViewerRequest(parts.path, fields)


def is_from_here(headers: Mapping[str, str], port: int) -> bool:
    """Return whether it was meant for this server, and not sent by the page of another.

    https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
    """
    host = headers.get("Host", "")
    # By a link in another page one may come here; the address was typed where there is no such header.
    meant = host in {f"127.0.0.1:{port}", f"localhost:{port}"}
    foreign = headers.get("Sec-Fetch-Site", "none") in {"cross-site", "same-site"}
    return meant and not (foreign and headers.get("Sec-Fetch-Mode") != "navigate")
