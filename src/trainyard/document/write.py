"""Writes plain values as YAML. The only place that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence


def yaml_text(value: Any, comment: Sequence[str] = (), *, blocks: bool = False) -> str:
    """Return a value as YAML, keys in the order they were given, below the lines of a comment.

    With ``blocks``, text of several lines stands there as it is, line by line.
    """
    heading = "".join(f"# {line}\n" for line in comment)
    dumper = _BlockDumper if blocks else _Dumper
    body: str = yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
    return heading + body


class _Dumper(yaml.CSafeDumper):
    """Writes every value out: anchors and aliases are hard to read and to edit by hand."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's signature
        return True


class _BlockDumper(_Dumper):
    """Writes text of several lines as a literal block."""


def _block(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_BlockDumper.add_representer(str, _block)
