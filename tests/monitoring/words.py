"""The names of metrics and labels in an expression of PromQL."""

from __future__ import annotations

import re

_METRIC = re.compile(r"\b(?:slurm|node_amazonefa|trainyard)_[a-z_0-9]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_LISTS = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
_MATCHED = re.compile(r"([a-z_]+)\s*(?:=~|!~|!=|=)(?!=)")


def metric_names(query: str) -> set[str]:
    return set(_METRIC.findall(_QUOTED.sub('""', query)))


def label_names(query: str) -> set[str]:
    plain = _QUOTED.sub('""', query)
    listed = {name.strip() for names in _LISTS.findall(plain) for name in names.split(",")}
    matchers = " ".join(re.findall(r"\{([^}]*)\}", plain))
    return listed | set(_MATCHED.findall(matchers))
