"""Scripts within other files: user data of templates, commands of containers, and the environment that they get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any, NamedTuple

from trainyard.document.node import Document, Place, YamlNode
from trainyard.finding import Path
from trainyard.rules import DocumentKind
from trainyard.rules.cloudformation.batch import job_containers
from trainyard.rules.cloudformation.template import resources_of_any_type, text_of
from trainyard.rules.kubernetes.workload import containers

_COMMANDS = ("command", "args")


class EmbeddedScript(NamedTuple):
    """A script that is a value of a document, and where it stands there."""

    path: Path
    script: Document


def embedded_scripts(document: Document, kind: DocumentKind) -> Iterator[EmbeddedScript]:
    """Yield the scripts within a document; a variable that a container gets is a script that exports it."""
    for path, text in _TEXTS.get(kind, _no_texts)(document):
        lines = tuple(text.splitlines())
        members = [YamlNode(line, Place(number, 1)) for number, line in enumerate(lines, 1)]
        root = YamlNode(lines, Place(1, 1), len(lines) + 1, members)
        yield EmbeddedScript(path, Document(document.file, root))


def _of_manifests(document: Document) -> Iterator[tuple[Path, str]]:
    for container in containers(document):
        written = [key for key in _COMMANDS if isinstance(container.written.get(key), tuple)]
        if written:
            yield (*container.path, written[-1]), " ".join(container.words)
        yield from _exports(container.written.get("env"), (*container.path, "env"), "name", "value")


def _of_templates(document: Document) -> Iterator[tuple[Path, str]]:
    for resource in resources_of_any_type(document):
        yield from _user_data(resource.properties, (*resource.path, "Properties"))
    for container in job_containers(document):
        command = container.written.get("Command")
        if isinstance(command, tuple):
            yield (*container.path, "Command"), " ".join(word for word in command if isinstance(word, str))
        yield from _exports(container.written.get("Environment"), (*container.path, "Environment"), "Name", "Value")


def _exports(variables: Any, path: Path, name: str, value: str) -> Iterator[tuple[Path, str]]:
    for index, variable in enumerate(variables if isinstance(variables, tuple) else ()):
        if isinstance(variable, dict) and isinstance(variable.get(name), str) and isinstance(variable.get(value), str):
            yield (*path, index, value), f"export {variable[name]}='{variable[value]}'"


def _user_data(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    match value:
        case dict():
            for key, member in value.items():
                if key == "UserData":
                    yield (*path, key), text_of(member)
                else:
                    yield from _user_data(member, (*path, key))
        case tuple():
            for index, member in enumerate(value):
                yield from _user_data(member, (*path, index))


def _no_texts(_: Document) -> Iterator[tuple[Path, str]]:
    return iter(())


_TEXTS: MappingProxyType[DocumentKind, Callable[[Document], Iterator[tuple[Path, str]]]] = MappingProxyType(
    {"kubernetes": _of_manifests, "cloudformation": _of_templates, "terraform": _of_templates}
)
