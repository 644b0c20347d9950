"""Every text in a spec, with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainyard.record import Record


@dataclass(frozen=True, slots=True)
class Mention:
    """A text, its path, and the record that it stands in."""

    path: tuple[str | int, ...]
    value: str
    record: Record

    @property
    def key(self) -> str:
        """The last key of its path."""
        return self._keys()[-1]

    @property
    def above(self) -> str:
        """The key above that; empty at the top."""
        return ["", *self._keys()][-2]

    def beside(self, key: str) -> list[str]:
        """Return the text below a key of the same record, if there is one."""
        value = getattr(self.record, key, None)
        return [value] if isinstance(value, str) else []

    def _keys(self) -> list[str]:
        return [step for step in self.path if isinstance(step, str)]


def mentions(record: Record) -> Iterator[Mention]:
    """Yield every text in a record, in its order."""
    yield from _in(record, (), record)


def _in(value: object, path: tuple[str | int, ...], record: Record) -> Iterator[Mention]:
    if isinstance(value, str):
        yield Mention(path, value, record)
    elif isinstance(value, Record):
        for name in value.field_names():
            yield from _in(getattr(value, name), (*path, name), value)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from _in(item, (*path, index), record)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _in(item, (*path, str(key)), record)
