"""Keeps what is known of a run's pods: Kubernetes forgets those that were replaced, and the report needs their time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError
from trainyard.training.ledger.allocation import items, mapping

FILE = "pods.json"
_MOST_BYTES = 200_000_000
_METADATA = ("name", "uid", "labels", "creationTimestamp", "deletionTimestamp")


def keep_pods(folder: Path, pods: Sequence[Mapping[str, Any]], now_s: float) -> None:
    """Add pods to those that are kept in a folder. One that is gone by now has ended.

    Raises InputError where what was kept cannot be read, TrainyardError where nothing can be written.
    """
    file = folder / FILE
    former = read_small_file(file, _MOST_BYTES) or b""
    kept = _kept(former, file)
    seen = {_uid(pod): _without_secrets(pod) for pod in pods}
    gone = datetime.fromtimestamp(now_s, UTC).isoformat(timespec="seconds")
    after = {**kept, **seen}
    for uid in kept.keys() - seen.keys():
        _end(kept[uid], min([gone, *_successors(kept[uid], after.values())]), has_successor=bool(seen))
    text = json.dumps({"kind": "List", "items": list(after.values())}) + "\n"
    if after and text.encode() != former:
        write_new_file(file, text, force=True)


def _successors(pod: Mapping[str, Any], pods: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return when pods of the same name were made later: it was gone by then, whoever has looked."""
    name, made = (pod["metadata"].get(key) for key in ("name", "creationTimestamp"))
    times = [str(other["metadata"].get("creationTimestamp")) for other in pods if other["metadata"].get("name") == name]
    return [time for time in times if time > str(made)]


def _end(pod: dict[str, Any], gone: str, *, has_successor: bool) -> None:
    """Say of a pod that is gone how it ended: where its run goes on without it, something has interrupted that."""
    pod["metadata"].setdefault("deletionTimestamp", gone)
    if pod["status"].get("phase") not in ("Succeeded", "Failed", "Cancelled"):
        pod["status"]["phase"] = "Failed" if has_successor else "Cancelled"


def _kept(content: bytes, file: Path) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    try:
        return {str(pod["metadata"]["uid"]): _without_secrets(pod) for pod in json.loads(content)["items"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        hint = "move it away: pods that are there are kept in a new one"
        raise InputError("what was kept of the run's pods cannot be read", where=str(file), hint=hint) from None


def _without_secrets(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return what pods.py reads: variables, arguments and the ends of logs may hold secrets."""
    metadata, spec, status = (mapping(pod.get(key)) for key in ("metadata", "spec", "status"))
    containers = [{"resources": mapping(container.get("resources"))} for container in items(spec.get("containers"))]
    return {
        "kind": "Pod",
        "metadata": {key: metadata[key] for key in _METADATA if key in metadata},
        "spec": {"nodeName": spec.get("nodeName"), "containers": containers},
        "status": {
            **{key: status[key] for key in ("phase", "startTime") if key in status},
            "containerStatuses": [
                {"state": {"terminated": {"finishedAt": _ended(container)}}}
                for container in items(status.get("containerStatuses"))
            ],
            "conditions": [
                {"lastTransitionTime": condition.get("lastTransitionTime")}
                for condition in items(status.get("conditions"))
            ],
        },
    }


def _ended(container: Mapping[str, Any]) -> Any:
    return mapping(mapping(container.get("state")).get("terminated")).get("finishedAt")


def _uid(pod: Mapping[str, Any]) -> str:
    return str(mapping(pod.get("metadata")).get("uid"))
