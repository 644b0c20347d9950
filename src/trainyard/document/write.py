"""Writes plain values as YAML. The only place that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def yaml_text(value: Any, comment: Sequence[str] = (), *, blocks: bool = False) -> str:
    """Return a value as YAML, keys in the order they were given, below the lines of a comment.

    With ``blocks``, text of several lines stands there as it is, line by line.
    """
    heading = "".join(f"# {line}\n" for line in comment)
    dumper = _BlockDumper if blocks else _Dumper
    body: str = yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
    return heading + body


def sectioned_yaml(sections: Mapping[str, Any], heading: Sequence[str], comments: Mapping[str, Sequence[str]]) -> str:
    """Return a mapping as YAML, with comments above its sections, and a line between what has more than one line."""
    texts = [yaml_text({key: value}, comments.get(key, ()), blocks=True) for key, value in sections.items()]
    parts = [yaml_text({}, heading).removesuffix("{}\n")] if heading else []
    for before, text in zip(("", *texts), texts, strict=False):
        parts += ["\n"] if before.count("\n") != 1 or text.count("\n") != 1 else []
        parts.append(text)
    return "".join(parts).lstrip("\n")


def compact_yaml(value: Any) -> str:
    """Return a value as YAML in which the members of the whole stand below each other, each in a line where it fits."""
    body: str = yaml.dump(value, Dumper=_CompactDumper, sort_keys=False, allow_unicode=True, width=10_000)
    return body


def indented(text: str, indent: str) -> str:
    """Return a text with all of its lines indented that are not empty. textwrap takes longer to import than to use."""
    return "".join(f"{indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


class _Dumper(yaml.CSafeDumper):
    """Writes every value out: anchors and aliases are hard to read and to edit by hand."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's signature
        return True


class _BlockDumper(_Dumper):
    """Writes text of several lines as a literal block."""


def _block(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_BlockDumper.add_representer(str, _block)


class _CompactDumper(_BlockDumper):
    """Writes what fits into a line in one. Flow style is never that of a text of several lines."""

    _LONGEST = 260

    def represent(self, data: Any) -> None:
        node = self.represent_data(data)
        if isinstance(node, yaml.CollectionNode):
            node.flow_style = not node.value
        self.serialize(node)
        self.represented_objects = {}

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:  # noqa: FBT001  PyYAML's signature
        node = super().represent_sequence(tag, sequence, flow_style)
        items = all(isinstance(item, yaml.ScalarNode) for item in node.value)
        node.flow_style = (items and _fits(node, self._LONGEST)) or not node.value
        return node

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:  # noqa: FBT001  as above
        node = super().represent_mapping(tag, mapping, flow_style)
        node.flow_style = _fits(node, self._LONGEST)
        return node


def _fits(node: yaml.Node, longest: int) -> bool:
    return _length(node) <= longest


def _length(node: yaml.Node) -> int:
    """Return about how long a node is in one line, or far too long where it cannot be in one."""
    if isinstance(node, yaml.ScalarNode):
        return 10_000 if node.style == "|" else len(node.value) + 4
    parts = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
    return 2 + sum(map(_length, parts))
