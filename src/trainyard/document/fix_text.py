"""Writes fixes into YAML and JSON: a value, another name for a key, or a key less. All other text stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from trainyard.document.write import yaml_text
from trainyard.finding import Fix, Path

_PLAIN = re.compile(r"[A-Za-z/][\w./-]*", re.ASCII)


class Splice(NamedTuple):
    """Text that takes the place of other text, whose ends are counted in characters."""

    start: int
    end: int
    text: str


class _Member(NamedTuple):
    """A key of a mapping with its value."""

    mapping: Any
    number: int
    """Which of its members it is."""

    @property
    def key(self) -> Any:
        return self.mapping.value[self.number][0]

    @property
    def value(self) -> Any:
        return self.mapping.value[self.number][1]


def with_fix(text: str, fix: Fix, line: int) -> str | None:
    """Return the text with a fix, in the document of it that holds the line of the finding.

    None where it cannot be written without touching other text: behind an alias or a merge, in a block of text, or
    where the file is no YAML as it stands.
    """
    try:
        documents = [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
    except (yaml.YAMLError, RecursionError):
        return None
    document = next((node for node in reversed(documents) if node.start_mark.line < line), None)
    splice = None if document is None else _splice(text, document, fix)
    return None if splice is None else text[: splice.start] + splice.text + text[splice.end :]


def with_line(text: str, fix: Fix) -> str | None:
    """Return a script with another line in the place of one, whose position is the path of the fix."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    match fix.path:
        case (int(position),) if position < len(lines) and isinstance(fix.value, str):
            end = lines[position][len(lines[position].splitlines()[0]) :]
            lines[position] = f"{fix.value}{end}"
            return text[: text.startswith("\ufeff")] + "".join(lines)
    return None


def _splice(text: str, document: yaml.Node, fix: Fix) -> Splice | None:
    is_json = text.lstrip().startswith(("{", "["))
    node, rest, member = document, fix.path, None
    shared = _shared(document)
    while rest and (inner := _inner(node, rest[0])) is not None:
        if id(inner[0]) in shared:
            return None
        node, member, rest = inner[0], inner[1], rest[1:]
    if fix.remove or fix.key is not None:
        if rest or member is None:
            return None
        return _removal(text, member) if fix.key is None else _replacement(member.key, _scalar(fix.key, is_json))
    if fix.value is None:
        return None
    if not rest:
        is_scalar = isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">")
        return _replacement(node, _scalar(fix.value, is_json)) if is_scalar else None
    return _insertion(node, rest, fix.value, is_json) if isinstance(node, yaml.MappingNode) else None


def _shared(document: yaml.Node) -> set[int]:
    """Return the nodes that aliases name: a change of one is a change of several places."""
    seen: set[int] = set()
    shared: set[int] = set()
    left = [document]
    while left:
        node = left.pop()
        if id(node) in seen:
            shared.add(id(node))
        elif isinstance(node, yaml.CollectionNode):
            left.extend(_children(node))
        seen.add(id(node))
    return shared


def _inner(node: yaml.Node, step: str | int) -> tuple[yaml.Node, _Member | None] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], None
    if isinstance(node, yaml.MappingNode):
        for number, (key, value) in enumerate(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return value, _Member(node, number)
    return None


def _replacement(node: yaml.Node, written: str) -> Splice:
    empty = node.start_mark.index == node.end_mark.index  # a key without a value
    return Splice(node.start_mark.index, node.end_mark.index, f" {written}" if empty else written)


def _insertion(mapping: yaml.MappingNode, path: Path, value: str | int | bool, is_json: bool) -> Splice | None:  # noqa: FBT001  a value
    """Write a key, with those above it that are missing, as the first of a mapping."""
    if not all(isinstance(step, str) for step in path):
        return None
    key, *inner = (_scalar(str(step), is_json) for step in path)
    closed = "".join(f"{{{step}: " for step in inner) + _scalar(value, is_json) + "}" * len(inner)
    start = mapping.start_mark.index
    if mapping.flow_style:
        return Splice(start + 1, start + 1, f"{key}: {closed}" + ", " * bool(mapping.value))
    return Splice(start, start, f"{key}: {closed}\n" + " " * mapping.start_mark.column)


def _removal(text: str, member: _Member) -> Splice | None:
    """Take a key out with its value; the lines of a key that has them to itself, but no comment below them."""
    members, number = member.mapping.value, member.number
    if len(members) == 1:
        return None  # what is left would be empty, and mean something else
    start = member.key.start_mark.index
    if member.mapping.flow_style:
        if number + 1 < len(members):
            return Splice(start, members[number + 1][0].start_mark.index, "")
        return Splice(members[number - 1][1].end_mark.index, member.value.end_mark.index, "")
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].strip():  # the first of a list's item
        following = members[1][0].start_mark
        return Splice(start, following.index, "") if number == 0 else None
    line_end = text.find("\n", _last_index(text, member.value))
    return Splice(line_start, len(text) if line_end < 0 else line_end + 1, "")


def _last_index(text: str, node: Any) -> int:
    """Return where a node's own text ends: the end of a block is marked where the next token begins."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        end: int = node.end_mark.index - (node.end_mark.column == 0)
        return max(int(node.start_mark.index), end)
    return max(_last_index(text, inner) for inner in _children(node))


def _children(node: Any) -> Iterator[yaml.Node]:
    for member in node.value:
        yield member[1] if isinstance(member, tuple) else member


def _scalar(value: str | int | bool, is_json: bool) -> str:  # noqa: FBT001  a value
    if is_json or not isinstance(value, str):
        return json.dumps(value)
    plain = _PLAIN.fullmatch(value) and yaml_text(value).split("\n")[0] == value
    return value if plain else json.dumps(value)
