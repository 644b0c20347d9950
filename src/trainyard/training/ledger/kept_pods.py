"""Keeps what is known of a run's pods: Kubernetes forgets those that were replaced, and the report needs their time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError
from trainyard.training.ledger.allocation import items, mapping, number
from trainyard.training.ledger.pods import RESTART

FILE = "pods.json"
_JOB_SET = "jobset.sigs.k8s.io/jobset-uid"
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
        times = _successors(kept[uid], after.values())
        _end(kept[uid], min([gone, *times]), has_successor=bool(times if _attempt(kept[uid]) else seen))
    text = json.dumps({"kind": "List", "items": list(after.values())}) + "\n"
    if after and text.encode() != former:
        write_new_file(file, text, force=True)


def _successors(pod: Mapping[str, Any], pods: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return when others took its place, by its name or in a later start of its JobSet: it was gone by then.

    The controller deletes the Job of a start with all its pods before it makes the next one.
    https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go (deleteJobs)
    """
    name, made, mine = pod["metadata"].get("name"), _made(pod), _attempt(pod)
    return [
        _made(other)
        for other in pods
        if (other["metadata"].get("name") == name and _made(other) > made)
        or (mine and (his := _attempt(other)) and his.job_set == mine.job_set and his.number > mine.number)
    ]


def _end(pod: dict[str, Any], gone: str, *, has_successor: bool) -> None:
    """Say of a pod that is gone how it ended: where its run goes on without it, something has interrupted that.

    All pods of a JobSet go before the next start has any, so that one may look cancelled first. What Kubernetes has
    said of a pod is by when it is to be gone, which may have been sooner.
    """
    metadata, phase = pod["metadata"], pod["status"].get("phase")
    metadata["deletionTimestamp"] = min(str(metadata.get("deletionTimestamp") or gone), gone)
    may_change = phase != "Cancelled" or _attempt(pod)
    if phase not in ("Succeeded", "Failed") and may_change:
        pod["status"]["phase"] = "Failed" if has_successor else "Cancelled"


class _Attempt(NamedTuple):
    """Which start of which JobSet a pod is of."""

    job_set: str
    number: int


def _attempt(pod: Mapping[str, Any]) -> _Attempt | None:
    """Return it, None for a pod of another kind of job."""
    labels = mapping(pod["metadata"].get("labels"))
    restarts = number(labels.get(RESTART))
    return None if restarts is None else _Attempt(str(labels.get(_JOB_SET)), restarts)


def _made(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"].get("creationTimestamp"))


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
