"""Turns the text of a spec into a ``Spec``, or into every reason why it is none, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from pydantic_core import SchemaValidator, ValidationError

from trainyard.document.node import Document
from trainyard.document.problems import MOST_FINDINGS, meant_key, short, without_password
from trainyard.document.read import read_yaml
from trainyard.errors import SpecError
from trainyard.finding import Finding, Fix, Path, path_text
from trainyard.record import Record, validator_of
from trainyard.spec.cluster import Spec

COMPILED = FilePath(__file__).with_name("compiled.json")
COMPILED_ENVIRONMENT = FilePath(__file__).with_name("compiled_environment.json")
_LEAST_CLUSTER = {
    "name": "any",
    "region": "us-east-1",
    "platform": "parallelcluster",
    "queues": ({"name": "any", "instance_type": "m5.large"},),
}
_SEEN = "must be text whose characters can all be seen"
_LINES = {ord("\n"): " ", ord("\t"): " "}
_KINDS = {
    "model_type": "a mapping of keys to values",
    "dict_type": "a mapping of keys to values",
    "tuple_type": "a list",
    "bool_type": "true or false",
    "string_type": "text",
}


class ParsedSpec(NamedTuple):
    """A spec and the document that it was read from, which knows the place of every value.

    An environment comes in the shape of a cluster without queues: ``spec.is_environment``.
    """

    spec: Spec
    document: Document


def parse(text: str, file: str) -> ParsedSpec:
    """Return the spec that a text holds. ``file`` is only named in findings; nothing is read or written.

    Raises DocumentError where the text is not one plain YAML document, and SpecError where that is not a spec.
    Both carry all findings at once; nobody reads more than ``MOST_FINDINGS`` of a file that is something else.
    """
    document = read_yaml(text, file)
    if findings := tuple(_not_a_spec(document)):
        raise SpecError(findings)
    is_environment = document.value.get("kind") == "environment"
    spec: Spec = _environment(document) if is_environment else validated(document, Spec, spec_validator())
    if findings := tuple(_unseen(document, document.value)):
        raise SpecError(findings[:MOST_FINDINGS])
    return ParsedSpec(spec, document)


def _environment(document: Document) -> Spec:
    # Imported here because most specs are clusters, and every check imports this module.
    from trainyard.spec.environment import Environment, as_spec

    validator = validator_of(Environment, COMPILED_ENVIRONMENT)
    return as_spec(validated(document, Environment, validator), spec_validator().validate_python(_LEAST_CLUSTER))


def validated(document: Document, record: type[Record], validator: SchemaValidator) -> Any:
    """Return the record that a document holds. Raises SpecError with everything that is wrong."""
    try:
        value = validator.validate_python(document.value)
    except ValidationError as error:
        problems = [
            _finding(document, record, error_details)
            for error_details in error.errors(include_url=False)[:MOST_FINDINGS]
        ]
        raise SpecError(tuple(sorted([*problems, *_group_findings(document, record)], key=_order))) from None
    if not is_complete(value):
        raise SpecError(tuple(_group_findings(document, record)))
    return value


def _order(finding: Finding) -> tuple[int, int]:
    return (finding.line or 0, finding.column or 0)


@cache
def spec_validator() -> SchemaValidator:
    """Return what makes a Spec of plain data."""
    return validator_of(Spec, COMPILED)


def _not_a_spec(document: Document) -> Iterator[Finding]:
    value = document.value
    if value is None:
        yield _at(document, (), "spec-empty", "the file is empty", "start from `trainyard new p5-observability`")
    elif not isinstance(value, dict):
        shape = "list" if isinstance(value, tuple) else "single value"
        yield _at(
            document, (), "spec-not-a-mapping", f"a spec is a mapping of keys to values, this is a {shape}",
            "begin with `name:`; `trainyard new p5-observability` shows a whole one",
        )  # fmt: skip
    elif kind := foreign_kind(value):
        yield _at(
            document, (), "spec-foreign", f"this is {kind}, not a trainyard spec",
            "write a spec: `trainyard new` starts one",
        )  # fmt: skip


def _unseen(document: Document, value: Any, path: Path = ()) -> Iterator[Finding]:
    """Yield where characters stand that nobody sees, turn text round or command a terminal: no value of ours has them.

    Text of an overlay may have several lines.
    """
    if isinstance(value, dict):
        for key, member in value.items():
            if not str(key).isprintable():
                yield _wrong(document, (*path, key), "spec-bad-value", _SEEN, key)
            yield from _unseen(document, member, (*path, key))
    elif isinstance(value, tuple):
        for number, member in enumerate(value):
            yield from _unseen(document, member, (*path, number))
    elif (
        isinstance(value, str)
        and not (value.translate(_LINES) if "overlay" in path or "stack_overlays" in path else value).isprintable()
    ):
        yield _wrong(document, path, "spec-bad-value", _SEEN, value)


def _finding(document: Document, record: type[Record], problem: Any) -> Finding:
    # Imported here because a right spec needs it not, and every check imports this module.
    from trainyard.spec.fields import written_path

    path = written_path(record, problem["loc"])
    match problem["type"]:
        case "missing":
            return _missing(document, path)
        case "extra_forbidden":
            return _unknown_key(document, record, path)
        case "bad_value":
            return _wrong(document, path, "spec-bad-value", problem["msg"], problem["input"])
        case "secret_value":
            return _secret(document, path, problem["msg"], problem["input"])
        case "literal_error":
            expected = problem["ctx"]["expected"].replace("'", "")
            return _wrong(document, path, "spec-bad-value", f"must be {expected}", problem["input"])
        case other:
            kind = _KINDS.get(other, problem["msg"])
            return _wrong(document, path, "spec-wrong-type", f"must be {kind}", problem["input"])


def _wrong(document: Document, path: Path, id_: str, must_be: str, written: object) -> Finding:
    if _may_be_secret(path, written):
        return _secret(document, path, must_be, written)
    return _at(document, path, id_, f"{_named(path)} {must_be}, not {_value_text(written)}", _remedy(must_be, written))


def _may_be_secret(path: Path, written: object) -> bool:
    """Return whether a value of an alert receiver may be an address or a key; a plain word is neither."""
    return "alert_receivers" in path and not (isinstance(written, str) and written.isalpha())


def _secret(document: Document, path: Path, must_be: str, written: object) -> Finding:
    """Return a finding that does not show what was written: it may be the secret itself."""
    message = f"{_named(path)} {must_be}, not {'empty' if written is None else 'what is written here'}"
    remedy = (
        "put a value that is secret into a secret, with `aws secretsmanager create-secret`, and write its ARN here; "
        "whoever could read this file may have it: so make a new one at its source"
    )
    return _at(document, path, "spec-secret-in-clear", message, remedy)


def _remedy(must_be: str, written: object) -> str:
    if isinstance(written, int | float) and not isinstance(written, bool) and "version" in must_be:
        # 3.10 was read as the number 3.1: what was meant cannot be told from the value.
        return 'without quotes YAML reads a number; put it in quotes and write it in full, such as "3.16.1"'
    return "`trainyard schema` and the reference in docs/spec.md say what each key takes"


def _value_text(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, dict | tuple):
        shape = "mapping" if isinstance(value, dict) else "list"
        return f"a {shape}" if value else f"an empty {shape}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return short(without_password(value)) if isinstance(value, str) else str(value)


def _missing(document: Document, path: Path) -> Finding:
    return _at(document, path, "spec-missing-key", f"{path_text(path)} is missing", f"write {path[-1]}: …")


def _named(path: Path) -> str:
    """Return a path as a message can bear it: keys of tags are whatever a user wrote."""
    path = _path_without_password(path)
    text = path_text(path)
    return text if text.isprintable() and len(text) <= 120 else f"{path_text(path[:-1])}[{short(str(path[-1]))}]"


def _path_without_password(path: Path) -> Path:
    """Return a path without passwords: a missing space after a colon makes a key of a value."""
    return tuple(without_password(step) if isinstance(step, str) else step for step in path)


def _unknown_key(document: Document, record: type[Record], path: Path) -> Finding:
    # Imported here because a right spec needs neither, and every check imports this module.
    from difflib import get_close_matches

    key = str(path[-1])
    keys = known_keys(path[:-1], record)
    close = get_close_matches(key.lower(), keys, n=1, cutoff=0.6)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    remedy = f"here belong: {', '.join(keys)}" if keys else "remove it"
    finding = _at(document, path, "spec-unknown-key", f"unknown key {short(without_password(key))}{meant}", remedy)
    right = meant_key(key, keys)
    return finding._replace(fix=Fix(path, key=right) if right else None)


def known_keys(path: Path, record: type[Record] = Spec) -> tuple[str, ...]:
    """Return the keys that may stand in the mapping at a path."""
    from trainyard.spec.fields import record_at

    inner = record_at(record, path)
    return () if inner is None else tuple(inner.field_names())


def is_complete(value: object) -> bool:
    """Return what types cannot say: of some keys exactly one must be there."""
    if isinstance(value, tuple):
        return all(map(is_complete, value))
    if not isinstance(value, Record):
        return True
    groups = (sum(getattr(value, name) is not None for name in group) for group in value.one_of)
    return all(count == 1 for count in groups) and all(map(is_complete, vars(value).values()))


def _group_findings(document: Document, record: type[Record]) -> Iterator[Finding]:
    # Imported here because a right spec needs it not, and every check imports this module.
    from trainyard.spec.fields import broken_groups

    for path, group in broken_groups(record, document.value):
        mapping = document.root.at(path).value
        written = [key for key in group if mapping.get(key) is not None]
        if written:
            problem = f"{_named(path)} has {' and '.join(written)}, which exclude each other"
            yield _at(document, (*path, written[1]), "spec-one-of", problem, f"keep one of {', '.join(written)}")
        else:
            problem = f"{_named(path)} needs one of {', '.join(group)}"
            yield _at(document, path, "spec-one-of", problem, f"write one of {', '.join(group)}")


def _at(document: Document, path: Path, id_: str, message: str, remedy: str) -> Finding:
    place = document.place(path)
    return Finding(
        id_, "error", message, remedy,
        file=document.file, line=place.line, column=place.column,
        path=path_text(_path_without_password(path)) or None,
    )  # fmt: skip


def foreign_kind(document: dict[str, Any]) -> str | None:
    """Return what a mapping is when it is plainly some other tool's file, otherwise None."""
    if "HeadNode" in document or "Scheduling" in document:
        return "a ParallelCluster configuration"
    if "AWSTemplateFormatVersion" in document or "Resources" in document:
        return "a CloudFormation template"
    if str(document.get("apiVersion", "")).startswith("eksctl.io/"):
        return "an eksctl ClusterConfig"
    if "apiVersion" in document and "kind" in document:
        return "a Kubernetes manifest"
    return None
