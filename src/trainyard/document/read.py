"""Reads YAML text into nodes, in one pass and bounded memory, and names every problem by line and column.

Scalars mean what they mean to ParallelCluster, which reads its files with PyYAML's ``safe_load`` (YAML 1.1).
"""

from __future__ import annotations

import datetime as dt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

from trainyard.document.node import Document, Place, YamlNode
from trainyard.document.problems import MOST_CHARACTERS, NOT_A_SPEC, Problems, Stop, short, too_large, without_password
from trainyard.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_VALUES = 50_000
DEEPEST = 64
# PyYAML needs minutes for a number such as 1:1:1:… of a megabyte, and Python refuses to print a large one.
LONGEST_NUMBER = 100

_PLAIN = "tag:yaml.org,2002:"
_NUMBER_TAGS = frozenset(_PLAIN + kind for kind in ("int", "float", "timestamp"))
_SCALAR_TAGS = _NUMBER_TAGS | {_PLAIN + "null", _PLAIN + "bool", _PLAIN + "str"}
_MERGE_TAG = _PLAIN + "merge"


def read_yaml(text: str, file: str, functions: Mapping[str, str] = MappingProxyType({})) -> Document:
    """Return the one document of a text. Raises DocumentError with every problem that was found.

    ``functions`` are tags that stand for a mapping of one key: with ``{"!Ref": "Ref"}``, ``!Ref a`` is ``{Ref: a}``.
    """
    if len(text) > MOST_CHARACTERS:
        raise DocumentError((too_large(file, len(text)),))
    text = text.removeprefix("\ufeff")
    problems = Problems(text, file)
    roots = _Reader(text, problems, functions).read()
    if problems.findings:
        raise DocumentError(tuple(problems.findings))
    return Document(file=file, root=roots[0] if roots else YamlNode(None, Place(1, 1)))


def read_yaml_stream(text: str, file: str, functions: Mapping[str, str]) -> tuple[Document, ...]:
    """Return every document of a text, as other tools read them: keys are text however they are written.

    ``functions`` as for `read_yaml`. Raises DocumentError with every problem that was found.
    """
    if len(text) > MOST_CHARACTERS:
        raise DocumentError((too_large(file, len(text)),))
    text = text.removeprefix("\ufeff")
    problems = Problems(text, file)
    roots = _Reader(text, problems, functions, of_other_tool=True).read()
    if problems.findings:
        raise DocumentError(tuple(problems.findings))
    return tuple(Document(file=file, root=root) for root in roots if root.value is not None)


class _Open:
    """A mapping or list whose end was not reached yet."""

    __slots__ = ("anchor", "function", "key", "key_place", "members", "merge_place", "merged", "place", "size")

    def __init__(self, event: yaml.CollectionStartEvent, place: Place) -> None:
        self.anchor: str | None = event.anchor
        self.place = place
        self.members: dict[str, YamlNode] | list[YamlNode] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.merged: list[YamlNode] = []
        self.merge_place: Place | None = None
        self.key: Any = _NO_KEY
        self.key_place = place
        self.size = 1
        self.function: str | None = None


_NO_KEY = object()
_BAD_KEY = object()


def _called(function: str, node: YamlNode) -> YamlNode:
    return YamlNode({function: node.value}, node.place, node.size + 1, {function: node})


class _Reader:
    """One pass over the events of PyYAML's C parser. Keeps its own stack, so depth is bounded and not recursion."""

    def __init__(
        self, text: str, problems: Problems, functions: Mapping[str, str], *, of_other_tool: bool = False
    ) -> None:
        self._text = text
        self._problems = problems
        self._functions = functions
        self._of_other_tool = of_other_tool
        self._open: list[_Open] = []
        self._anchors: dict[str, YamlNode | None] = {}
        self._roots: list[YamlNode] = []
        self._size_of_roots = 0
        self._has_aliases = False

    def read(self) -> list[YamlNode]:
        """Return the root node of each document; of a file of ours, of the only one."""
        try:
            self._problems.refuse_unprintable()
            self._take_all()
        except Stop:
            pass
        return self._roots

    def _take_all(self) -> None:
        self._loader = yaml.CSafeLoader(self._text)
        try:
            while (event := self._loader.get_event()) is not None:
                self._take(event)
        except yaml.MarkedYAMLError as error:
            self._problems.add_syntax(error)

    def _take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._begin(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent() if self._of_other_tool:
                self._anchors.clear()
            case yaml.DocumentStartEvent() if self._roots:
                self._add("yaml-several-documents", event, "a second YAML document begins", "keep one spec in a file")
                raise Stop

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        tag = event.tag
        if tag is not None and tag in self._functions:
            place = self._place(event)
            self._keep(_called(self._functions[tag], YamlNode(event.value, place)), event.anchor)
            return
        if self._of_other_tool and event.value != "<<" and self._expects_key():
            self._keep(YamlNode(event.value, self._place(event)), event.anchor)
            return
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]  # PyYAML's
        node = yaml.ScalarNode(tag, event.value)
        if tag == _MERGE_TAG and self._expects_key():
            self._begin_merge(self._open[-1], self._place(event))
            return
        self._keep(YamlNode(self._scalar_value(node, event), self._place(event)), event.anchor)

    def _scalar_value(self, node: yaml.ScalarNode, event: yaml.ScalarEvent) -> Any:
        if node.tag not in _SCALAR_TAGS and event.tag is not None:
            self._foreign_tag(node.tag, event)
            return node.value
        try:
            value = self._constructed(node)
        except (ValueError, ArithmeticError, AttributeError, LookupError, yaml.YAMLError):
            kind = node.tag.removeprefix(_PLAIN)
            self._add(
                "yaml-bad-scalar",
                event,
                f"{short(node.value)} is not a YAML {kind}",
                "put it in quotes if text is meant",
            )
            return node.value
        return value.isoformat() if isinstance(value, dt.date) else value

    def _constructed(self, node: yaml.ScalarNode) -> Any:
        if node.tag in _NUMBER_TAGS and len(node.value) > LONGEST_NUMBER:
            raise ValueError(f"more than {LONGEST_NUMBER} characters")
        return self._loader.construct_object(node)

    def _begin(self, event: yaml.CollectionStartEvent) -> None:
        if len(self._open) >= DEEPEST:
            self._add(
                "yaml-too-deep",
                event,
                f"more than {DEEPEST} levels of nesting",
                "no cluster configuration is that deep",
            )
            raise Stop
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        opened = _Open(event, self._place(event))
        if event.tag is not None and event.tag in self._functions:
            opened.function = self._functions[event.tag]
        elif event.tag not in (None, "!", _PLAIN + kind):
            self._foreign_tag(event.tag, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(opened)

    def _end(self) -> None:
        done = self._open.pop()
        members = done.members
        if isinstance(members, dict):
            # The written keys win over merged ones, and earlier merges over later ones: https://yaml.org/type/merge.html
            # Only mappings are merged, see _merge; mypy cannot know.
            for source in done.merged:
                members |= {key: node for key, node in source.members.items() if key not in members}  # type: ignore[union-attr]
            value: Any = {key: node.value for key, node in members.items()}
        else:
            value = tuple(node.value for node in members)
        node = YamlNode(value, done.place, done.size, members)
        self._keep(node if done.function is None else _called(done.function, node), done.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        self._has_aliases = True
        node = self._anchors.get(event.anchor or "", _NO_KEY)
        if isinstance(node, YamlNode):
            self._keep(YamlNode(node.value, self._place(event), node.size, node.members), None)
            return
        what = "is not defined above" if node is _NO_KEY else "stands inside itself"
        alias = short(f"*{event.anchor}")
        self._add("yaml-bad-alias", event, f"alias {alias} {what}", "define its anchor with & above, and not around it")
        raise Stop

    def _keep(self, node: YamlNode, anchor: str | None) -> None:
        """Put a finished node where it belongs: a key, a value, a list member or the root."""
        if anchor is not None:
            self._anchors[anchor] = node
        self._count(node)
        if not self._open:
            self._roots.append(node)
            self._size_of_roots += node.size
        elif self._expects_key():
            self._begin_entry(self._open[-1], node)
        else:
            self._end_entry(self._open[-1], node)

    def _count(self, node: YamlNode) -> None:
        # Members of a collection were counted when they were kept; only an alias brings its members along.
        # Of a stream, the documents before this one count, too.
        before = self._open[-1].size if self._open else self._size_of_roots
        grown = before + node.size
        if self._open:
            self._open[-1].size = grown
        if grown <= MOST_VALUES:
            return
        problem = f"more than {MOST_VALUES:,} values"
        if self._has_aliases:
            problem += " once aliases are expanded"
            self._problems.add(
                "yaml-alias-bomb", node.place, problem, "write the values out instead of nesting aliases"
            )
        else:
            self._problems.add("file-too-large", node.place, problem, NOT_A_SPEC)
        raise Stop

    def _expects_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].members, dict) and self._open[-1].key is _NO_KEY

    def _begin_merge(self, mapping: _Open, place: Place) -> None:
        mapping.key, mapping.key_place = _MERGE_TAG, place
        if mapping.merge_place is not None:
            self._second_key("<<", place, mapping.merge_place)
        mapping.merge_place = place

    def _begin_entry(self, mapping: _Open, key: YamlNode) -> None:
        mapping.key, mapping.key_place = key.value, key.place
        if not isinstance(key.value, str):
            written = "true/yes/on or false/no/off" if isinstance(key.value, bool) else short(str(key.value))
            self._problems.add("yaml-key-not-text", key.place, f"key {written} is not text", "put the key in quotes")
            mapping.key = _BAD_KEY
        elif key.value in mapping.members:
            # What expects a key is a mapping, see _expects_key; mypy cannot know.
            first = mapping.members[key.value].place  # type: ignore[call-overload]
            self._second_key(key.value, key.place, first)

    def _second_key(self, key: str, place: Place, first: Place) -> None:
        problem = f"key {short(without_password(key))} stands here a second time, first on line {first.line}"
        self._problems.add(
            "yaml-duplicate-key", place, problem, "keep one of the two: YAML readers silently use the last"
        )

    def _end_entry(self, parent: _Open, node: YamlNode) -> None:
        if isinstance(parent.members, list):
            parent.members.append(node)
            return
        key, parent.key = parent.key, _NO_KEY
        if key is _MERGE_TAG:
            self._merge(parent, node)
        elif key is not _BAD_KEY:
            parent.members[key] = YamlNode(node.value, parent.key_place, node.size, node.members)

    def _merge(self, mapping: _Open, node: YamlNode) -> None:
        sources = node.members if isinstance(node.value, tuple) else [node]
        for source in sources:
            if isinstance(source, YamlNode) and isinstance(source.value, dict):
                mapping.merged.append(source)
            else:
                self._problems.add(
                    "yaml-bad-alias", mapping.key_place, "<< merges mappings only", "give it an alias of a mapping"
                )

    def _foreign_tag(self, tag: str, event: yaml.Event) -> None:
        shown = tag.replace(_PLAIN, "!!")
        self._add(
            "yaml-foreign-tag", event, f"tag {short(shown)} is not plain YAML", "write the value itself, without a tag"
        )

    def _place(self, event: yaml.Event) -> Place:
        assert event.start_mark is not None  # noqa: S101  only events that programs make up lack one
        return self._problems.place_at(event.start_mark.index)

    def _add(self, id_: str, event: yaml.Event, message: str, remedy: str) -> None:
        self._problems.add(id_, self._place(event), message, remedy)
