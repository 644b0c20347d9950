"""Which conditions of a template can be true together, found by trying what its parameters can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any, NamedTuple

from trainyard.document.node import Document
from trainyard.rules.cloudformation.template import parameters
from trainyard.rules.documents import mapping_at

_MOST_COMBINATIONS = 4096
_OTHER = object()
"""A value that the template compares with nothing. None stands for two unknown things that are equal."""
_MOST_NESTED = 100


class UnsolvedConditionError(Exception):
    """A condition that is not understood."""


class _Comparison(NamedTuple):
    """What Fn::Equals compares: what only a deployment knows, with a text or, None, with another such thing."""

    subject: str
    text: str | None


def can_be(document: Document, assumed: Mapping[str, bool]) -> bool:
    """Return whether conditions can have these values at once; False, too, where nobody can tell in reasonable time."""
    definitions = mapping_at(document, "Conditions")
    seen: set[str] = set()
    try:
        comparisons = [
            one for name in assumed for one in _comparisons(definitions, {"Condition": name}, seen, _MOST_NESTED)
        ]
        domains = _domains(document, comparisons)
        for values in islice(product(*domains.values()), _MOST_COMBINATIONS):
            chosen = dict(zip(domains, values, strict=True))
            known: dict[str, bool | None] = {}
            if all(
                _is_true(definitions, {"Condition": name}, chosen, known) is value for name, value in assumed.items()
            ):
                return True
    except UnsolvedConditionError:
        pass
    return False


def _comparisons(definitions: Mapping[str, Any], written: Any, seen: set[str], left: int) -> Iterator[_Comparison]:
    """Yield what conditions compare, each once. Raises UnsolvedConditionError for what is none, and beyond a depth."""
    if not left:
        raise UnsolvedConditionError
    match written:
        case {"Condition": str(name)} if name in definitions:
            if name not in seen:
                seen.add(name)
                yield from _comparisons(definitions, definitions[name], seen, left - 1)
        case {"Fn::And": tuple(parts)} | {"Fn::Or": tuple(parts)} | {"Fn::Not": (_,) as parts}:
            for part in parts:
                yield from _comparisons(definitions, part, seen, left - 1)
        case {"Fn::Equals": (_, _)}:
            yield _comparison(written)
        case _:
            raise UnsolvedConditionError


def _comparison(written: Mapping[str, Any]) -> _Comparison:
    first, second = written["Fn::Equals"]
    if isinstance(first, dict) and not isinstance(second, dict | tuple):
        return _Comparison(str(first), _text(second))
    if isinstance(second, dict) and not isinstance(first, dict | tuple):
        return _Comparison(str(second), _text(first))
    return _Comparison(str((first, second)), None)


def _domains(document: Document, comparisons: list[_Comparison]) -> dict[str, tuple[object, ...]]:
    allowed = {str({"Ref": name}): parameter.get("AllowedValues") for name, parameter in parameters(document).items()}
    domains: dict[str, tuple[object, ...]] = {}
    for subject in {comparison.subject for comparison in comparisons}:
        listed = allowed.get(subject)
        texts = {one.text for one in comparisons if one.subject == subject and one.text is not None}
        domains[subject] = tuple(map(_text, listed)) if isinstance(listed, tuple) else (*sorted(texts), None, _OTHER)
    return domains


def _is_true(
    definitions: Mapping[str, Any], written: Any, chosen: Mapping[str, object], known: dict[str, bool | None]
) -> bool:
    match written:
        case {"Fn::And": parts}:
            return all(_is_true(definitions, part, chosen, known) for part in parts)
        case {"Fn::Or": parts}:
            return any(_is_true(definitions, part, chosen, known) for part in parts)
        case {"Fn::Not": (part,)}:
            return not _is_true(definitions, part, chosen, known)
        case {"Condition": name}:
            if name not in known:
                known[name] = None
                known[name] = _is_true(definitions, definitions[name], chosen, known)
            if (value := known[name]) is None:
                raise UnsolvedConditionError  # it asks for itself
            return value
        case _:
            comparison = _comparison(written)
            return chosen[comparison.subject] == comparison.text


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
