"""Versions that go together or do not, and what completes a set of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.bench.log_facts import versions_in
from trainyard.catalog.instances import find, names
from trainyard.catalog.parallelcluster import VersionRange
from trainyard.compatibility.judgement import Incompatibility, cases_about_instance_types, incompatibilities
from trainyard.compatibility.version_file import (
    FORMS,
    is_environment,
    versions_in_environment,
    versions_in_json,
)
from trainyard.compatibility.version_set import (
    SetVersion,
    VersionSet,
    component_named,
    given,
    unknown_note,
    with_brought,
)
from trainyard.edge.text_file import read_beginning
from trainyard.errors import InputError
from trainyard.rules.version_conflict import spec_versions
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trainyard.catalog.version_conflict import Component
    from trainyard.compatibility.completion import Completion

__all__ = ["VersionCheck", "VersionSuggestion", "check_versions", "suggest_versions"]

_USUAL: tuple[Component, ...] = ("efa-installer", "nvidia-driver", "cuda", "aws-ofi-nccl", "nccl")
_WITH: dict[Component, tuple[Component, ...]] = {
    "parallelcluster": ("slurm",),
    "kubernetes": ("efa-device-plugin", "nvidia-device-plugin"),
}

_OF_LOG: dict[str, Component] = {"nccl": "nccl", "cuda": "cuda", "plugin": "aws-ofi-nccl", "libfabric": "libfabric"}
# The first driver of each major version of CUDA: what cudaDriverVersion says of the driver.
# https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
_DRIVERS = {"11": VersionRange("450", "524"), "12": VersionRange("525", "579"), "13": VersionRange("580", None)}


class VersionCheck(NamedTuple):
    """What came of a set of versions."""

    versions: VersionSet
    """The set, with what comes with its components."""
    instance_types: tuple[str, ...]
    incompatibilities: tuple[Incompatibility, ...]
    """The worst first."""
    notes: tuple[str, ...]
    """What limits the verdict: versions that nobody knows, cases that were not judged, versions that were replaced."""

    @property
    def has_errors(self) -> bool:
        """Return whether something does not go together for certain."""
        return any(one.severity == "error" for one in self.incompatibilities)


class VersionSuggestion(NamedTuple):
    """What completes a set of versions."""

    completion: Completion
    given: VersionSet
    """What was given."""
    instance_types: tuple[str, ...]
    incompatibilities: tuple[Incompatibility, ...]
    """What is left against the set, none of it an error."""
    notes: tuple[str, ...]


def check_versions(sources: Iterable[str], instance_types: Iterable[str] = ()) -> VersionCheck:
    """Return what does not go together of the versions that NAME=VERSION and files tell.

    Raises InputError where a component, a version, a file or an instance type is not known.
    """
    versions, types, notes = read_versions(sources, instance_types)
    if not versions:
        raise InputError("no version was given", hint="write NAME=VERSION, such as nccl=2.28.9, or name a file")
    whole = with_brought(versions)
    notes += [note for name, version in versions.items() if (note := unknown_note(name, version))]
    if not types and (count := cases_about_instance_types(whole)):
        notes.append(_about_types(count))
    return VersionCheck(whole, tuple(types), incompatibilities(whole, types), tuple(notes))


def suggest_versions(sources: Iterable[str], instance_types: Iterable[str] = ()) -> VersionSuggestion:
    """Return what completes a set of versions: those of NAME=VERSION and of files, with a version for each NAME.

    Without a NAME it is completed with what every cluster of GPUs has, and with what belongs to Kubernetes or
    ParallelCluster where one of them is in the set. Raises InputError where something is not known.
    """
    # Only this command needs the solver.
    from trainyard.compatibility.completion import completed  # noqa: PLC0415

    sources = tuple(sources)
    names = [component for source in sources if (component := _bare_name(source)) is not None]
    versions, types, notes = read_versions([source for source in sources if _bare_name(source) is None], instance_types)
    belonging = [name for component, beside in _WITH.items() if component in versions for name in beside]
    wanted = names or [*_USUAL, *belonging]
    completion = completed(versions, wanted, tuple(types))
    notes += [note for name, version in versions.items() if (note := unknown_note(name, version))]
    if not types and (count := cases_about_instance_types(completion.versions)):
        notes.append(_about_types(count))
    left = incompatibilities(completion.versions, types)
    return VersionSuggestion(completion, versions, tuple(types), left, tuple(notes))


def read_versions(
    sources: Iterable[str], instance_types: Iterable[str]
) -> tuple[dict[Component, SetVersion], list[str], list[str]]:
    """Return versions, instance types and notes. What comes later replaces what came before, NAME=VERSION all files."""
    types = [_known_type(name) for name in instance_types]
    versions: dict[Component, SetVersion] = {}
    notes: list[str] = []
    for source in sorted(sources, key=_is_assignment):
        if _is_assignment(source):
            name, _, version = source.partition("=")
            component = component_named(name)
            told = {component: given(component, version, "the command line")}
        else:
            told = _of_file(source, types)
        for component, version_told in told.items():
            former = versions.get(component)
            if former is not None and former.shown != version_told.shown:
                notes.append(
                    f"{component} {version_told.shown} of {version_told.origin} is judged, "
                    f"not {former.shown} of {former.origin}"
                )
            versions[component] = version_told
    return versions, list(dict.fromkeys(types)), notes


def _about_types(count: int) -> str:
    cases = "1 known case depends" if count == 1 else f"{count} known cases depend"
    return f"{cases} on the instance type: name it with --on"


def _bare_name(source: str) -> Component | None:
    try:
        return None if _is_assignment(source) else component_named(source)
    except InputError:
        return None


def _is_assignment(source: str) -> bool:
    return "=" in source and "/" not in source.partition("=")[0]


def _known_type(name: str) -> str:
    # A family may be newer than the catalog, the sizes are always the same.
    if find(name) is None and name.partition(".")[2] not in {known.partition(".")[2] for known in names()}:
        from difflib import get_close_matches  # noqa: PLC0415  only a mistake needs it

        close = get_close_matches(name, names(), 1)
        hint = f"did you mean {close[0]}?" if close else "`trainyard instances` lists the types that are known"
        raise InputError(f"there is no instance type {name!r}", hint=hint)
    return name


def _of_file(file: str, types: list[str]) -> dict[Component, SetVersion]:
    if (component := _bare_name(file)) is not None:
        raise InputError(f"{file} has no version", hint=f"write {component}=VERSION; ./{file} names a file")
    text = read_beginning(file)
    if (told := versions_in_json(text, file)) is not None:
        return told
    if is_environment(text):
        return versions_in_environment(text.splitlines(), file)
    if told := dict(_of_log(text, file)):
        return told
    if ":" not in text:
        raise InputError(f"{file} tells no versions", where=file, hint=f"name what is printed by {FORMS}")
    return _of_spec(text, file, types)


def _of_log(text: str, file: str) -> Iterator[tuple[Component, SetVersion]]:
    seen: dict[str, str] = {}
    for line in text.splitlines():
        for name, version in versions_in(line):
            seen.setdefault(name, version)
    for name, version in seen.items():
        if name in _OF_LOG:
            yield _OF_LOG[name], given(_OF_LOG[name], version, file)
        elif name == "cuda-driver" and (drivers := _DRIVERS.get(version.partition(".")[0])):
            yield "nvidia-driver", SetVersion(drivers, f"of CUDA {version}", file)


def _of_spec(text: str, file: str, types: list[str]) -> dict[Component, SetVersion]:
    spec = parse(text, file).spec
    types += [name for group in spec.node_groups() for name in group.instance_types]
    return {
        component: SetVersion(known.version, known.version.in_words(), file)
        for component, known in spec_versions(spec).items()
    }
