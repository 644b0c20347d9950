"""Asks a Prometheus, or a workspace of Amazon Managed Prometheus, over the HTTP API that both have.

https://prometheus.io/docs/prometheus/latest/querying/api/
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-Prometheus-Compatible-Apis.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from pydantic_core import from_json

from trainyard.edge.http_client import Reply
from trainyard.edge.prometheus_connection import Connection, no_prometheus, refusal_of

Labels = dict[str, str]


class Sample(NamedTuple):
    """A series at one moment."""

    labels: Labels
    at_s: float
    """Seconds since 1970."""
    value: float


class Series(NamedTuple):
    """A series over a time."""

    labels: Labels
    points: list[tuple[float, float]]
    """Seconds since 1970, and the value; NaN and infinity are values too."""


class PrometheusApi:
    """What can be asked. Every method raises TrainyardError, with a hint, where there is no answer to be had."""

    def __init__(self, connection: Connection) -> None:
        """Keep the connection, which many threads may use."""
        self._connection = connection
        self.url = connection.url
        """Without /api/v1, and without a password."""

    @property
    def is_amazon(self) -> bool:
        """Return whether it is a workspace, which has neither targets nor /-/ready."""
        return self._connection.is_amazon

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        """Return what an expression gives at one moment, by default now."""
        return self.measured_query(expr, at_s)[0]

    def measured_query(self, expr: str, at_s: float | None = None) -> tuple[list[Sample], int | None]:
        """Return the same, and how many samples Prometheus had to read for it; None where it does not say.

        https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries, parameter stats, since 2.35.
        """
        data = self._post("query", {"query": expr, "stats": "all", **_times(time=at_s)})
        read = data.get("stats", {}).get("samples", {}).get("totalQueryableSamples")
        return _samples(data, self.url), read if isinstance(read, int) else None

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        """Return what it gives at every step from start to end."""
        data = self._post("query_range", {"query": expr, **_times(start=start_s, end=end_s, step=step_s)})
        if data.get("resultType") != "matrix":
            raise no_prometheus(self.url, "its answer to a query has no series")
        return [
            Series(series["metric"], [(at, float(value)) for at, value in series["values"]])
            for series in data["result"]
        ]

    def series(self, matchers: Iterable[str], start_s: float | None = None, end_s: float | None = None) -> list[Labels]:
        """Return the labels of all series that one of the matchers selects, such as ``up{job="node"}``."""
        fields = [("match[]", matcher) for matcher in matchers]
        return _list(self._post("series", [*fields, *_times(start=start_s, end=end_s).items()]), self.url)

    def label_values(
        self, label: str, matchers: Iterable[str] = (), start_s: float | None = None, end_s: float | None = None
    ) -> list[str]:
        """Return all values of a label, sorted."""
        fields = [*(("match[]", matcher) for matcher in matchers), *_times(start=start_s, end=end_s).items()]
        return sorted(_list(self._get(f"label/{quote(label, safe='')}/values", fields), self.url))

    def metadata(self, metric: str | None = None) -> dict[str, list[dict[str, str]]]:
        """Return type, help and unit of metrics, as their exporters tell them."""
        return _dict(self._get("metadata", [("metric", metric)] if metric else []), self.url)

    def rules(self) -> list[dict[str, Any]]:
        """Return the groups of rules, each with its rules and their state."""
        return _list(_dict(self._get("rules"), self.url).get("groups"), self.url)

    def alerts(self) -> list[dict[str, Any]]:
        """Return the alerts that are pending or fire."""
        return _list(_dict(self._get("alerts"), self.url).get("alerts"), self.url)

    def targets(self) -> list[dict[str, Any]]:
        """Return what is scraped, each with its labels, health and last error. Amazon Managed Prometheus has none."""
        return _list(_dict(self._get("targets", [("state", "active")]), self.url).get("activeTargets"), self.url)

    def expect_ready(self) -> None:
        """Raise TrainyardError where it does not answer, or is still starting."""
        if self.is_amazon:
            self.query("vector(1)")
            return
        reply = self._connection.ask("GET", "/-/ready")
        if reply.status != 200:
            raise refusal_of(reply, self.url)
        self.query("vector(1)")  # other servers answer to any path

    def _get(self, path: str, fields: Iterable[tuple[str, str]] = ()) -> Any:
        query = urlencode(list(fields))
        return self._data(self._connection.ask("GET", f"/api/v1/{path}{'?' if query else ''}{query}"))

    def _post(self, path: str, fields: Mapping[str, str] | list[tuple[str, str]]) -> Any:
        # What is asked for may be longer than an address may be.
        return self._data(self._connection.ask("POST", f"/api/v1/{path}", urlencode(fields).encode()))

    def _data(self, reply: Reply) -> Any:
        if reply.status != 200:
            raise refusal_of(reply, self.url)
        try:
            answer = from_json(reply.body)
        except ValueError as error:
            raise no_prometheus(self.url, "it answers with something that is not JSON") from error
        if not isinstance(answer, dict) or answer.get("status") != "success" or "data" not in answer:
            raise no_prometheus(self.url, "its answer is not of the form that Prometheus has")
        return answer["data"]


def _samples(data: Any, url: str) -> list[Sample]:
    match data.get("resultType"):
        case "vector":
            return [
                Sample(series["metric"], series["value"][0], float(series["value"][1])) for series in data["result"]
            ]
        case "scalar":
            return [Sample({}, data["result"][0], float(data["result"][1]))]
        case _:
            raise no_prometheus(url, "its answer to a query has no values")


def _times(**times_s: float | None) -> dict[str, str]:
    return {name: f"{value:.3f}" for name, value in times_s.items() if value is not None}


def _list(value: Any, url: str) -> list[Any]:
    if not isinstance(value, list):
        raise no_prometheus(url, "its answer is not of the form that Prometheus has")
    return value


def _dict(value: Any, url: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise no_prometheus(url, "its answer is not of the form that Prometheus has")
    return value
