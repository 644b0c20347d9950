"""Changes single values in YAML text and leaves comments and layout as they are."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainyard.finding import Path

_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\[\d{1,4}\])*(?:\.[\w:/@+-]+(?:\[\d{1,4}\])*)*")


def with_settings(text: str, settings: Iterable[str]) -> str:
    """Return YAML text with settings of the form ``path=value`` applied; values are read as YAML.

    Raises InputError where a setting has another form or its path cannot be reached.
    """
    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
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
            f"{setting!r} is not of the form path=value", where="--set", hint="for example --set queues[0].nodes=8"
        )
    try:
        return _steps(written), YAML(typ="rt").load(value)
    except YAMLError:
        raise InputError(
            f"the value in {setting!r} is not YAML", where="--set", hint="put text with special characters in quotes"
        ) from None


def _steps(written: str) -> Path:
    return tuple(int(step) if step.isdigit() else step for step in re.split(r"[.\[\]]+", written) if step)


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
            node[step] = missing
        return node[step]
    if isinstance(node, list) and isinstance(step, int) and step <= len(node):
        if step == len(node):
            node.append(missing)
        return node[step]
    raise _unreachable(step, setting)


def _replace(node: Any, step: str | int, value: Any, setting: str) -> None:
    if isinstance(node, dict) and isinstance(step, str):
        node[step] = value
    elif isinstance(node, list) and isinstance(step, int) and step <= len(node):
        node[step : step + 1] = [value]
    else:
        raise _unreachable(step, setting)


def _unreachable(step: str | int, setting: str) -> InputError:
    shown = f"[{step}]" if isinstance(step, int) else step
    return InputError(
        f"{shown} cannot be reached in {setting!r}",
        where="--set",
        hint="list positions count from 0 and may not leave gaps",
    )
