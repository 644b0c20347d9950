"""What one kind of nodes carries out of a release, and how that differs between two releases. Pure."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.bundle.asset_lock import FILE_NAME, LockedAsset, parse_lock
from trainyard.bundle.release import files_in
from trainyard.errors import TrainyardError
from trainyard.render.collection import AWS_CONFIG, HEAD_NODE

_PLAN = "plan.json"
_STEPS = "steps/"
_COLLECTION = "monitoring/"
# What only the monitoring instance has a use for, which follows the releases by itself.
_OF_INSTANCE = ("grafana/", "units/trainyard-grafana")
_PACKAGE = "trainyard-node.pyz"
_SETTING = re.compile(rb"TRAINYARD_[A-Z0-9_]+")
READ_BY_PACKAGE = {
    "node-metrics": (
        *("TRAINYARD_SLURM_NAMES", "TRAINYARD_LIST_PRICES", "TRAINYARD_BUDGET_USD_MONTH"),
        *("TRAINYARD_NCCL_RAS", "TRAINYARD_NCCL_INSPECTOR"),
    ),
    "cloudwatch-metrics": ("TRAINYARD_CLOUDWATCH_METRICS",),
    "prometheus": ("TRAINYARD_CAPACITY_RESERVATIONS",),
    "block-end": ("TRAINYARD_CAPACITY_BLOCKS",),
}
"""The settings that no script names: what a step starts reads them by means of the package."""

READ_BY_STEP = {"prometheus": (HEAD_NODE, AWS_CONFIG)}
"""What a step installs that follows the spec, and that other nodes have no use for."""


class NodeWork(NamedTuple):
    """What a kind of nodes carries out."""

    steps: Mapping[str, Any]
    """How each step is run, by its name."""
    settings: Mapping[str, str]
    """Those that any of its scripts asks for."""
    scripts: Mapping[str, str]
    """SHA-256 of each file that it may run, by its name in the release."""
    assets: frozenset[LockedAsset]
    """What its steps install."""
    asks: frozenset[str]
    """Names of settings that its scripts and steps ask for, whether they are set or not."""


class WorkDifference(NamedTuple):
    """How the work of a node that ran one release differs from that of another one."""

    new: tuple[str, ...]
    """Steps that it has never carried out."""
    dropped: tuple[str, ...]
    """Steps that it has carried out and that are no longer asked for."""
    settings: tuple[str, ...]
    """Settings that have another value now, or none any more."""
    other: tuple[str, ...]
    """Scripts and assets that are others now or gone, and steps that are run otherwise."""

    def __str__(self) -> str:
        """Say it in a few words, what matters most first."""
        parts = (
            ("new steps", self.new),
            ("steps no longer asked for", self.dropped),
            ("settings", self.settings),
            ("files", self.other if len(self.other) <= _MOST_NAMED else (f"{len(self.other)} others",)),
        )
        return "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)


_MOST_NAMED = 3
NOTHING = NodeWork({}, {}, {}, frozenset(), frozenset())
"""The work of a node for which nothing was published."""


def node_work(release: bytes, kind: str) -> NodeWork:
    """Return what a kind of nodes, such as head, carries out of a release; nothing where the release has no such kind.

    Raises TrainyardError where the release is damaged.
    """
    try:
        files = files_in(release)
        entry = json.loads(files[_PLAN])["nodes"].get(kind)
        if entry is None:
            return NOTHING
        steps = {step["name"]: step for step in entry["steps"]}
        own = {step["script"] for step in steps.values()}
        lock = parse_lock(files.get(FILE_NAME), FILE_NAME)
        scripts = {name: content for name, content in files.items() if name in own or _is_for_all(name)}
        read = {name for step, names in READ_BY_STEP.items() if step in steps for name in names}
        scripts |= {name: files[name] for name in sorted(read & files.keys())}
        asks = _asks(steps, scripts)
        settings = {name: value for name, value in entry["settings"].items() if name in asks}
        return NodeWork(steps, settings, _digests(scripts), _assets(lock.assets, steps), asks)
    except (tarfile.TarError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise TrainyardError(f"a release cannot be read: {error!r}"[:200]) from error


def _is_for_all(name: str) -> bool:
    """Return whether any kind of nodes may run a file of a release."""
    return not (name in (_PLAN, FILE_NAME) or name.startswith((_STEPS, _COLLECTION, *_OF_INSTANCE)))


def difference(former: NodeWork, now: NodeWork) -> WorkDifference | None:
    """Return how the work differs, None where it is the same. What only dropped steps used counts with them."""
    dropped = {name: step for name, step in former.steps.items() if name not in now.steps}
    settings = {name: value for name, value in former.settings.items() if name in now.asks}
    scripts = _without(former.scripts, {step["script"] for step in dropped.values()})
    assets = sorted({locked_asset.file for locked_asset in former.assets ^ now.assets})
    steps = [name for name in now.steps if name in former.steps and former.steps[name] != now.steps[name]]
    changes = WorkDifference(
        tuple(name for name in now.steps if name not in former.steps),
        tuple(dropped),
        _changed(settings, now.settings),
        (*steps, *_changed(scripts, now.scripts), *assets),
    )
    return changes if any(changes) else None


def _changed(former: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in former.keys() | now.keys() if former.get(name) != now.get(name)))


def _without(scripts: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {name: digest for name, digest in scripts.items() if name not in names}


def _asks(steps: Mapping[str, Any], scripts: Mapping[str, bytes]) -> frozenset[str]:
    """Return the settings that scripts name, and those of steps that have the package read one.

    The others make no difference to this kind of nodes: what the package reads else says what the hardware is.
    """
    text = b"\n".join(content for name, content in scripts.items() if name != _PACKAGE)
    named = {setting.decode() for setting in _SETTING.findall(text)}
    return frozenset(named.union(*(settings for step, settings in READ_BY_PACKAGE.items() if step in steps)))


def _digests(scripts: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in scripts.items()}


def _assets(locked: tuple[LockedAsset, ...], steps: Mapping[str, Any]) -> frozenset[LockedAsset]:
    """Return what steps of head and login nodes fetch: an asset that is called as its step is."""
    return frozenset(locked_asset for locked_asset in locked if locked_asset.name in steps)
