"""What somebody else has changed of a cluster since its last deployment: documents as recorded, and as they are now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.foreign_text import word_or_quoted
from trainyard.redaction.secrets import member_without_secrets

# By what ParallelCluster knows a member of a list: update_key in pcluster/schemas/cluster_schema.py. Members of lists
# in templates of CloudFormation have a name, too, or are compared with the whole of their list.
_IDENTITIES = ("Name", "MountDir", "BucketName", "Policy", "Key")
_MOST_SHOWN = 100
"""How many characters of a value are shown."""


class DriftDifference(NamedTuple):
    """One value that is not what the last deployment left."""

    document: str
    """What it is a part of: cluster.yaml, or a stack by its name."""
    path: tuple[str, ...]
    """Where in it; a member of a list by its name, such as SlurmQueues[main]."""
    recorded: Any
    """As the last deployment left it; None where it had none."""
    current: Any
    """As it is now; None where it is gone."""

    def __str__(self) -> str:
        """Say it on one line, without secrets."""
        place = f"{self.document}: {word_or_quoted('.'.join(self.path))}"
        recorded, current = self._values_to_show()
        if recorded is None:
            return f"{place} is new: {_shown(current)}"
        if current is None:
            return f"{place} is gone: {_shown(recorded)}"
        return f"{place}: {_shown(recorded)} -> {_shown(current)}"

    def as_json(self) -> dict[str, Any]:
        """Return it as values for JSON, without secrets."""
        recorded, current = self._values_to_show()
        return {
            "document": self.document,
            "path": ".".join(self.path),
            "recorded": recorded,
            "current": current,
        }

    def _values_to_show(self) -> tuple[Any, Any]:
        key = self.path[-1] if self.path else ""
        return member_without_secrets(key, self.recorded), member_without_secrets(key, self.current)

    def overlaps(self, other: DriftDifference) -> bool:
        """Return whether two differences of one document are of the same place, or one is inside the other."""
        length = min(len(self.path), len(other.path))
        return self.path[:length] == other.path[:length]


def differences(document: str, recorded: Any, current: Any, path: tuple[str, ...] = ()) -> Iterator[DriftDifference]:
    """Yield how two values differ; the order of keys, and of members that have names, is no difference."""
    if recorded == current:
        return
    if isinstance(recorded, Mapping) and isinstance(current, Mapping):
        for key in dict.fromkeys((*recorded, *current)):
            yield from differences(document, recorded.get(key), current.get(key), (*path, str(key)))
        return
    former, now = _members(recorded), _members(current)
    if former is None or now is None or not path:
        yield DriftDifference(document, path, recorded, current)
        return
    for name in dict.fromkeys((*former, *now)):
        member = (*path[:-1], f"{path[-1]}[{name}]")
        yield from differences(document, former.get(name), now.get(name), member)


def _members(value: Any) -> Mapping[str, Any] | None:
    """Return the members of a list by their names; None where it is no list, or a name is missing or there twice."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    names = [_identity(member) for member in value]
    return dict(zip(names, value, strict=True)) if all(names) and len({*names}) == len(names) else None


def _identity(member: Any) -> str:
    if not isinstance(member, Mapping):
        return ""
    return next((str(member[key]) for key in _IDENTITIES if isinstance(member.get(key), str)), "")


def _shown(value: Any) -> str:
    name = value.get("Name") if isinstance(value, Mapping) else None
    return word_or_quoted(name if isinstance(name, str) else str(value), _MOST_SHOWN)
