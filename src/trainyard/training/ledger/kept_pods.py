"""Keeps what is known of a run's pods: Kubernetes forgets those that were replaced, and the report needs their time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError
from trainyard.training.ledger.allocation import items, mapping

FILE = "pods.json"
_MOST_BYTES = 200_000_000
# What pods.py reads. Environment variables and arguments, which may hold secrets, are not kept.
_METADATA = ("name", "uid", "labels", "creationTimestamp", "deletionTimestamp")
_STATUS = ("phase", "startTime", "containerStatuses", "conditions")


def keep_pods(folder: Path, pods: Sequence[Mapping[str, Any]], now_s: float) -> None:
    """Add pods to those that are kept in a folder. One that is gone by now has ended.

    Raises InputError where what was kept cannot be read, TrainyardError where nothing can be written.
    """
    file = folder / FILE
    kept = _kept(file)
    seen = {_uid(pod): _without_secrets(pod) for pod in pods}
    gone = datetime.fromtimestamp(now_s, UTC).isoformat(timespec="seconds")
    for uid, pod in kept.items():
        if uid not in seen:
            pod["metadata"].setdefault("deletionTimestamp", gone)
            _end(pod, has_successor=bool(seen))
    after = {**kept, **seen}
    if after:
        write_new_file(file, json.dumps({"kind": "List", "items": list(after.values())}) + "\n", force=True)


def _end(pod: dict[str, Any], *, has_successor: bool) -> None:
    """Say of a pod that is gone how it ended: where its run goes on without it, something has interrupted that."""
    if pod["status"].get("phase") not in ("Succeeded", "Failed", "Cancelled"):
        pod["status"]["phase"] = "Failed" if has_successor else "Cancelled"


def _kept(file: Path) -> dict[str, dict[str, Any]]:
    content = read_small_file(file, _MOST_BYTES)
    if content is None:
        return {}
    try:
        return {str(pod["metadata"]["uid"]): pod for pod in json.loads(content)["items"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        hint = "move it away: pods that are there are kept in a new one"
        raise InputError("what was kept of the run's pods cannot be read", where=str(file), hint=hint) from None


def _without_secrets(pod: Mapping[str, Any]) -> dict[str, Any]:
    metadata, spec, status = (mapping(pod.get(key)) for key in ("metadata", "spec", "status"))
    containers = [{"resources": mapping(container.get("resources"))} for container in items(spec.get("containers"))]
    return {
        "kind": "Pod",
        "metadata": {key: metadata[key] for key in _METADATA if key in metadata},
        "spec": {"nodeName": spec.get("nodeName"), "containers": containers},
        "status": {key: status[key] for key in _STATUS if key in status},
    }


def _uid(pod: Mapping[str, Any]) -> str:
    return str(mapping(pod.get("metadata")).get("uid"))
