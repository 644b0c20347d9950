"""Changes single values in YAML text and leaves comments and layout as they are."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from trainyard.document.problems import short
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text
from trainyard.errors import DocumentError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainyard.finding import Path

_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\[[0-9]{1,4}\])*(?:\.[\w:/@+-]+(?:\[[0-9]{1,4}\])*)*")
_PLAIN = re.compile(r"[\w/](?:[\w./+@ :-]*[\w./+@-])?", re.ASCII)
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)")


def with_settings(text: str, settings: Iterable[str]) -> str:
    """Return YAML text with settings of the form ``path=value`` applied; values are read as YAML.

    Raises InputError where a setting has another form or its path cannot be reached.
    """
    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.preserve_quotes = True
    document = yaml.load(text)
    for setting in settings:
        path, value = _parsed(setting)
        _set(document, path, value, setting)
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _parsed(setting: str) -> tuple[Path, Any]:
    written, equals, value = setting.partition("=")
    if not equals or not _PATH.fullmatch(written):
        raise InputError(
            f"{short(setting)} is not of the form path=value",
            where="--set",
            hint="for example --set queues[0].nodes=8; edit the file for keys with other characters",
        )
    try:
        plain = read_yaml(value, "--set").value
    except DocumentError as error:
        problem = f"the value in {short(setting)} cannot be read: {error.problem}"
        raise InputError(problem, where="--set", hint="put text with special characters in quotes") from None
    return _steps(written), _styled(plain)


def _styled(value: Any) -> Any:
    """Return a value as ruamel is to write it: in brackets and braces, in quotes what YAML 1.1 misunderstands."""
    if isinstance(value, dict):
        mapping = CommentedMap({_styled(key): _styled(member) for key, member in value.items()})
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, tuple):
        sequence = CommentedSeq(_styled(member) for member in value)
        sequence.fa.set_flow_style()
        return sequence
    if isinstance(value, str) and not _is_plain(value):
        return DoubleQuotedScalarString(value)
    return value


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and yaml_text(text).split("\n")[0] == text


def _steps(written: str) -> Path:
    return tuple(int(index) if index else key for index, key in _STEP.findall(written))


def _set(document: Any, path: Path, value: Any, setting: str) -> None:
    *parents, last = path
    node = document
    for step, following in zip(parents, path[1:], strict=True):
        node = _member(node, step, following, setting)
    _replace(node, last, value, setting)


def _member(node: Any, step: str | int, following: str | int, setting: str) -> Any:
    missing: Any = [] if isinstance(following, int) else {}
    if isinstance(node, dict) and isinstance(step, str):
        if node.get(step) is None or not isinstance(node[step], dict | list):
            node[_styled(step)] = missing
        return node[step]
    if isinstance(node, list) and isinstance(step, int) and step <= len(node):
        if step == len(node):
            node.append(missing)
        return node[step]
    raise _unreachable(node, step, setting)


def _replace(node: Any, step: str | int, value: Any, setting: str) -> None:
    if isinstance(node, dict) and isinstance(step, str):
        node[_styled(step)] = value
    elif isinstance(node, list) and isinstance(step, int) and step <= len(node):
        node[step : step + 1] = [value]
    else:
        raise _unreachable(node, step, setting)


def _unreachable(node: Any, step: str | int, setting: str) -> InputError:
    if isinstance(node, list):
        what, hint = f"a list of {len(node)}", f"name a position from [0] to [{len(node)}], which appends"
    else:
        what, hint = "a mapping", "name a key of it, without brackets"
    shown = f"[{step}]" if isinstance(step, int) else f"key {short(step)}"
    return InputError(f"{shown} in {short(setting)} stands in {what}", where="--set", hint=hint)
