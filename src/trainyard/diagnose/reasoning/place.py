"""What a line is about: the machines, jobs and pods that it or its log names, and so what it can have to do with.

Two lines that name different machines have nothing to do with each other, unless something else that both name ties
them. A line that names none may be about any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.line_node import host_of
from trainyard.diagnose.log_kind import kind_of

Name = tuple[str, str]
"""What is named, behind its sort."""
_MACHINES = frozenset({"host", "instance", "slurm-node"})
_DATA = Path(__file__).with_name("places.yaml")


class Place(NamedTuple):
    """What a line is about."""

    names: frozenset[Name]
    """What ties it to others: all that it, its log and its host name."""
    sorts: frozenset[str]
    """Of what it can be about nothing but what is named: others of the same sort are kept apart from it."""
    is_of_job: bool
    """Whether a job wrote it: what goes wrong in a job goes wrong for that job."""


class _Data(NamedTuple):
    names: dict[str, re.Pattern[str]]
    logs: dict[str, re.Pattern[str]]
    services: frozenset[str]
    boots: frozenset[str]
    jobs: frozenset[str]
    of_cluster: frozenset[str]


def place_of(cause: str, hit: Hit) -> Place:
    """Return what a line of a cause is about."""
    return _place(hit.file, hit.node, hit.text, of_cluster=cause in _data().of_cluster)


def serving_nodes(hits: Iterable[Hit]) -> set[str]:
    """Return the machines that serve a cluster, by its logs that are theirs: what fails there is seen everywhere."""
    services = _data().services
    return {node for hit in hits if kind_of(hit.file) in services and (node := host_of(hit.file)) is not None}


def service_kinds() -> frozenset[str]:
    """Return the kinds of logs that are of no machine: those of what serves a cluster, and of jobs on several."""
    return _data().services | _data().jobs


def boot_kinds() -> frozenset[str]:
    """Return the kinds of logs that tell only of the start of a machine."""
    return _data().boots


@lru_cache(maxsize=200_000)
def _place(file: str, node: str | None, text: str, *, of_cluster: bool) -> Place:
    data, log_kind = _data(), kind_of(file)
    own, named, of_log = _node(node), _named(data.names, text), _named(data.logs, file.rpartition("/")[2])
    about = own | named | of_log
    if of_cluster or log_kind in data.services:
        # What a service of the cluster says is about what it names, and not about the machine where it runs.
        about = named
    elif log_kind in data.jobs and host_of(file) is None and not _is_between_machines(own | named):
        # A job runs on more machines than the one that writes a line.
        about = {name for name in about if name[0] not in _MACHINES}
    return Place(frozenset(own | named | of_log), frozenset(sort for sort, _ in about), log_kind in data.jobs)


def _is_between_machines(names: AbstractSet[Name]) -> bool:
    return any(count > 1 for sort, count in Counter(sort for sort, _ in names).items() if sort in _MACHINES)


def _node(node: str | None) -> set[Name]:
    if node is None:
        return set()
    return _named({"host": _data().names["host"]}, node) or {("slurm-node", node)}


def _named(patterns: Mapping[str, re.Pattern[str]], text: str) -> set[Name]:
    """Return what a text names. An address and EC2's name of the host that has it are the same."""
    return {
        (sort, next(filter(None, found.groups())).replace("-", "." if sort == "host" else "-"))
        for sort, pattern in patterns.items()
        for found in pattern.finditer(text)
    }


@cache
def _data() -> _Data:
    content: dict[str, Any] = yaml.load(_DATA.read_bytes(), Loader=yaml.CSafeLoader)
    compiled = {key: {sort: re.compile(pattern) for sort, pattern in content[key].items()} for key in ("names", "logs")}
    return _Data(
        compiled["names"],
        compiled["logs"],
        *(frozenset(content[key]) for key in ("services", "boots", "jobs", "of_cluster")),
    )
