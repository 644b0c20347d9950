"""The metrics and labels that an expression of PromQL names, and those of them that nobody exports."""

from __future__ import annotations

import re

from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recorded_metrics, recording_groups
from trainyard.monitoring.queries import documented_queries
from trainyard.monitoring.registry import foreign_metrics, labels_on_every_series, registries
from trainyard.operate.monitoring.digest.digest_values import DigestPeriod, filled, questions
from trainyard.training.ledger.gpu_activity import states
from trainyard_node.samples import metrics

# Under the names that are exported by default.
_FILES = tuple(file for file in registries() if not file.endswith("_rivosinc"))
# A pattern of names that lists what they end with.
_ALTERNATIVES = re.compile(r'__name__=~"([A-Za-z_:]+)\(([A-Za-z_:|0-9]+)\)"')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_MATCHERS = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)\s*\{([^}]*)\}")
_MATCHED = re.compile(r"([A-Za-z_]+)\s*(?:=~|!~|!=|=)")
_LISTS = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_MADE = re.compile(r'"([a-z_]+)",\s*"[^"]*",\s*"([a-z_]*)",\s*"[^"]*"\s*\)')
_COUNTED = re.compile(r'\bcount_values\b[^"]*"(\w+)"')
_JOINED = re.compile(r'"([a-z_]+)",\s*"[^"a-z]*"((?:,\s*"[a-z_]+")+)\s*\)')
_RANGE = re.compile(r"\[[^\]]*\]|\boffset\s+[0-9]+[smhd]")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_:][A-Za-z0-9_:]*(?!\w|\s*\()")
_WORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right"}


def exported() -> dict[str, frozenset[str]]:
    """Return the labels of everything that is known to be exported, by us or by others, or recorded of that."""
    ours = {name: frozenset(metric.labels) for file in _FILES for name, metric in metrics(file).items()}
    return {**ours, **foreign_metrics(), **recorded_metrics()}


def asked_metrics() -> set[str]:
    """Return what alerts, documented queries, recording rules, panels, the digest and the ledger ask for."""
    exprs = [alert.rule for alert in alerts()]
    exprs += [documented_query.query for documented_query in documented_queries()]
    exprs += [rule["expr"] for group in recording_groups() for rule in group["rules"]]
    panels = [panel for dashboard in dashboards() for panel in dashboard.panels()]
    exprs += [query.expr for panel in panels for query in panel.queries]
    exprs += [*digest_exprs(), *ledger_exprs()]
    return {name for expr in exprs for name in named_metrics(expr)}


def digest_exprs() -> list[str]:
    """Return what `trainyard monitor digest` asks, of a week and of all clusters."""
    asked = questions()
    listed = [question["expr"] for kind in ("figures", "tables", "lines") for question in asked[kind]]
    return [filled(expr, None, DigestPeriod(7, 0.0)) for expr in [*listed, *asked["hours"].values()]]


def ledger_exprs() -> list[str]:
    """Return what `trainyard run report` asks."""
    asked = states()
    return [*asked["states"].values(), asked["gpus"], *asked["nodes"].values()]


def named_metrics(expr: str) -> set[str]:
    listed = {start + end for start, ends in _ALTERNATIVES.findall(expr) for end in ends.split("|")}
    plain = _RANGE.sub("", _LISTS.sub("", re.sub(r"\{[^}]*\}", "", _QUOTED.sub('""', expr))))
    return set(_NAME.findall(plain)) - _WORDS | listed


def unknown_in(expr: str, known: dict[str, frozenset[str]]) -> list[str]:
    """Return the metrics that nobody exports, and the labels that they do not have."""
    names = named_metrics(expr)
    labels = labels_on_every_series().union(*(known.get(name, frozenset()) for name in names))
    joined = [(to, source) for to, sources in _JOINED.findall(expr) for source in re.findall(r"\w+", sources)]
    made = {to for to, _ in (*_MADE.findall(expr), *joined)} | set(_COUNTED.findall(expr))
    asked = _listed(expr) | {source for _, source in (*_MADE.findall(expr), *joined) if source}
    return [
        *sorted(names - set(known)),
        *sorted(asked - labels - made),
        *(f"{name}{{{label}}}" for name, label in _matched(expr) if label not in _labels_of(name, known)),
    ]


def _listed(expr: str) -> set[str]:
    lists = _LISTS.findall(_QUOTED.sub('""', expr))
    return {label.strip() for list_ in lists for label in list_.split(",") if label.strip()}


def _matched(expr: str) -> list[tuple[str, str]]:
    found = _MATCHERS.findall(_QUOTED.sub('""', expr))
    return [(name, label) for name, matchers in found for label in _MATCHED.findall(matchers)]


def _labels_of(name: str, known: dict[str, frozenset[str]]) -> frozenset[str]:
    return known.get(name, frozenset()) | labels_on_every_series()
