"""File systems of FSx that a changed spec would mount in place of one another.

Stacks tell several of a kind apart by their order alone. Where it changes, CloudFormation sees no loss, or not all of
it: a directory would show the files of another, or none, although all of them still exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import yaml

from trainyard.deploy.record import read_record
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.spec.cluster import Spec

_COUNTED = ("lustre", "openzfs")
_OF_SECOND = ("FSxLustreFilesystemId2", "FSxORootVolumeId2")
_HINT = (
    "nothing was touched; write file systems that are new below those that exist, and name one by its id "
    "(`lustre: {id: fs-…}`, `openzfs: {id: fsvol-…}`) before one above it goes"
)


def refuse_other_order(work: Work, outputs: Iterable[str]) -> None:
    """Raise TrainyardError where a directory would show another file system than in the spec as it was deployed last.

    ``outputs`` are the names of what stacks have made. With at most one of a kind, before and now, nobody is asked.
    """
    spec = work.required_spec()
    if not set(_OF_SECOND) & set(outputs) and all(number == 1 for _, number in dict(_places(_of_spec(spec))).values()):
        return
    record = read_record(work.account, work.bucket, work.name)
    if record is not None and (moves := other_places(record.spec_text, spec)):
        problem = f"file systems would change places: {'; '.join(moves)}"
        raise TrainyardError(problem, where="file_systems", hint=_HINT)


def other_places(former_text: str, spec: Spec) -> list[str]:
    """Return a sentence for each directory that would show another file system than that of a spec before."""
    former = dict(_places(_written(former_text)))
    return [
        f"{mount} is {kind} {former[mount][1]} of the stack and would be {kind} {number}"
        for mount, (kind, number) in _places(_of_spec(spec))
        if mount in former and former[mount][0] == kind and former[mount][1] != number
    ]


def _places(file_systems: Iterable[tuple[str, str, str | None]]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield where each is mounted, with its kind and its number among those of the kind that stacks make."""
    numbers: Counter[str] = Counter()
    for mount, kind, id_ in file_systems:
        if kind in _COUNTED and id_ in (None, "environment"):
            numbers[kind] += 1
            yield mount, (kind, numbers[kind])


def _of_spec(spec: Spec) -> Sequence[tuple[str, str, str | None]]:
    return [(file_system.mount, file_system.kind, file_system.settings.id) for file_system in spec.file_systems]


def _written(text: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield those of a spec that was deployed, perhaps by another version of trainyard, which knew other keys."""
    for entry in yaml.load(text, Loader=yaml.CSafeLoader).get("file_systems") or ():
        for kind in entry.keys() & set(_COUNTED):
            yield entry["mount"], kind, (entry[kind] or {}).get("id")
