"""Writes plain values as YAML. The only place that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence


def yaml_text(value: Any, comment: Sequence[str] = ()) -> str:
    """Return a value as YAML, keys in the order they were given, below the lines of a comment."""
    heading = "".join(f"# {line}\n" for line in comment)
    body: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return heading + body


class _Dumper(yaml.CSafeDumper):
    """Writes every value out: anchors and aliases are hard to read and to edit by hand."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's signature
        return True
