"""Keeps what is known of a run's pods: Kubernetes forgets those that were replaced, and the report needs their time."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError
from trainyard.training.ledger.allocation import JobSetStart, items, mapping
from trainyard.training.ledger.pods import job_set_start

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
    successors = _Successors(after.values())
    for uid in kept.keys() - seen.keys():
        times = successors.of(kept[uid])
        _end(kept[uid], min([gone, *times]), has_successor=bool(times if job_set_start(kept[uid]) else seen))
    text = json.dumps({"kind": "List", "items": list(after.values())}) + "\n"
    if after and text.encode() != former:
        write_new_file(file, text, force=True)


class _Successors:
    """When others took the place of pods, by their name or in a later start of their JobSet: they were gone by then.

    The controller deletes the Job of a start with all its pods before it makes the next one.
    https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go (deleteJobs)
    """

    def __init__(self, pods: Iterable[Mapping[str, Any]]) -> None:
        """Note when pods were made: a run has had thousands, and each look asks for all that are gone."""
        self._of_name: dict[str, list[str]] = {}
        self._later: dict[JobSetStart, list[str]] = {}
        firsts: dict[JobSetStart, str] = {}
        for pod in pods:
            made, start = _made(pod), job_set_start(pod)
            self._of_name.setdefault(_name(pod), []).append(made)
            if start:
                firsts[start] = min(made, firsts.get(start, made))
        for times in self._of_name.values():
            times.sort()
        later: dict[str, list[str]] = {}
        for start in sorted(firsts, reverse=True):
            self._later[start] = later.get(start.job_set, [])
            later[start.job_set] = [min([firsts[start], *self._later[start]])]

    def of(self, pod: Mapping[str, Any]) -> list[str]:
        """Return when the next of its name was made, and the first of a later start; none that there is not."""
        made, start = self._of_name[_name(pod)], job_set_start(pod)
        after = bisect_right(made, _made(pod))
        return [*made[after : after + 1], *(self._later[start] if start else ())]


def _end(pod: dict[str, Any], gone: str, *, has_successor: bool) -> None:
    """Say of a pod that is gone how it ended: where its run goes on without it, something has interrupted that.

    All pods of a JobSet go before the next start has any, so that one may look cancelled first. What Kubernetes has
    said of a pod is by when it is to be gone, which may have been sooner.
    """
    metadata, phase = pod["metadata"], pod["status"].get("phase")
    metadata["deletionTimestamp"] = min(str(metadata.get("deletionTimestamp") or gone), gone)
    may_change = phase != "Cancelled" or job_set_start(pod)
    if phase not in ("Succeeded", "Failed") and may_change:
        pod["status"]["phase"] = "Failed" if has_successor else "Cancelled"


def _name(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"].get("name"))


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
