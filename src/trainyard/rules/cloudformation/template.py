"""A CloudFormation template as rules see it: its resources by type, and the values that a property can come to have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.documents import mapping_at, mapping_in


class TemplateResource(NamedTuple):
    """One resource."""

    name: str
    written: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """Return where it stands."""
        return ("Resources", self.name)

    @property
    def properties(self) -> Mapping[str, Any]:
        """Return its properties; empty where they are none, or made by a function."""
        return mapping_in(self.written, "Properties")


class Value(NamedTuple):
    """A value that a property can have, and where in the template it is written."""

    path: Path
    value: Any


def resources(document: Document, *types: str) -> Iterator[TemplateResource]:
    """Yield the resources of some types, in the order of the template."""
    return (resource for resource in resources_of_any_type(document) if resource.written.get("Type") in types)


def resources_of_any_type(document: Document) -> Iterator[TemplateResource]:
    """Yield every resource, in the order of the template."""
    for name, written in mapping_at(document, "Resources").items():
        if isinstance(written, dict):
            yield TemplateResource(name, written)


def parameters(document: Document) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters that are mappings."""
    written = mapping_at(document, "Parameters")
    return {name: parameter for name, parameter in written.items() if isinstance(parameter, dict)}


def values(document: Document, value: Any, path: Path) -> Iterator[Value]:
    """Yield what a value can be: each branch of Fn::If, and the default of a parameter, which is what most people use.

    What only a deployment knows is left out, and so is AWS::NoValue.
    """
    match value:
        case {"Fn::If": (_, yes, no)} if len(value) == 1:
            yield from values(document, yes, (*path, "Fn::If", 1))
            yield from values(document, no, (*path, "Fn::If", 2))
        case {"Ref": str(name)} if len(value) == 1:
            default = mapping_at(document, "Parameters", name).get("Default")
            if default is not None:
                yield Value(path, default)
        case dict() if len(value) == 1 and next(iter(value)).startswith("Fn::"):
            return
        case _:
            yield Value(path, value)


def mappings(document: Document, value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield those of the values that are mappings."""
    for place, mapping in values(document, value, path):
        if isinstance(mapping, dict):
            yield place, mapping


def members(document: Document, value: Any, path: Path) -> Iterator[Value]:
    """Yield the members of those of the values that are lists, and of each member what it can be."""
    for place, listed in values(document, value, path):
        for index, member in enumerate(listed if isinstance(listed, tuple) else ()):
            yield from values(document, member, (*place, index))


def references_in(value: Any) -> frozenset[str]:
    """Return the names of resources and parameters that a value refers to by Ref or Fn::GetAtt, however deep."""
    match value:
        case {"Ref": str(name)}:
            return frozenset((name,))
        case {"Fn::GetAtt": str(attribute)}:
            return frozenset((attribute.partition(".")[0],))
        case {"Fn::GetAtt": (str(name), *_)}:
            return frozenset((name,))
        case dict():
            return frozenset(name for member in value.values() for name in references_in(member))
        case tuple():
            return frozenset(name for member in value for name in references_in(member))
        case _:
            return frozenset()


def number(value: Any) -> float | None:
    """Return a number that may be written as text, as parameters' defaults often are."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return float(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else None


def text_of(value: Any) -> str:
    """Return what functions of CloudFormation make of the texts within them; what only a deployment knows is empty."""
    match value:
        case str():
            return value
        case {"Fn::Base64": inner} | {"Fn::Sub": (inner, _) | inner}:
            return text_of(inner)
        case {"Fn::Join": (str(between), tuple(parts))}:
            return between.join(map(text_of, parts))
        case _:
            return ""
