"""What Kubernetes says of a manifest by its own schemas, and those of the resources that training adds to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from trainyard.edge.cfn_lint import INSTALL
from trainyard.errors import InputError, TrainyardError
from trainyard.finding import Path
from trainyard.rules.parallelcluster.placeholders import placeholder_in

_CUSTOM = FilePath(__file__).parents[1] / "catalog" / "custom_resources.json"
_POD = "/api/_definitions.json#/$defs/io.k8s.api.core.v1.PodSpec"
_LONGEST = 300
_POD_KEYS = frozenset(("containers", "initContainers"))
"""Below them stands what Kubernetes itself defines, whatever the kind is."""


class UnknownKindError(Exception):
    """There is no schema of a kind."""


def known_versions() -> tuple[str, ...]:
    """Return the versions of Kubernetes that there are schemas of, the oldest first. Raises TrainyardError."""
    names = {version.rpartition(".")[0] for version in _library().all_versions()}
    return tuple(sorted(names, key=lambda name: tuple(map(int, name.split(".")))))


def checked_version(version: str | None) -> str:
    """Return a version that there are schemas of, the newest unless one is named. Raises InputError, TrainyardError."""
    known = known_versions()
    if version is not None and version not in known:
        raise InputError(
            f"there are no schemas of Kubernetes {version}",
            where="--with-kubernetes",
            hint=f"known: {', '.join(known)}",
        )
    return version or known[-1]


class Objection(NamedTuple):
    """One thing that the schema of a manifest's kind does not allow."""

    path: Path
    message: str
    is_certain: bool
    """False of a key that is missing in a custom resource: a webhook of its operator may write it. False, too, where
    the schema is that of a client, and the operator may know more."""


def objections(manifest: Mapping[str, Any], version: str) -> Iterator[Objection]:
    """Yield what is wrong with a manifest, and where; a key that the kind does not have is.

    A patch for kustomize is no whole manifest, and nothing is said of it, nor of what somebody has still to fill in.

    Raises:
        UnknownKindError: there is no schema of its kind
        TrainyardError: the schemas are not installed
    """
    if "$patch" in manifest:
        return
    custom = _custom().get(f"{manifest.get('apiVersion')} {manifest.get('kind')}")
    validator = _validator(str(manifest.get("apiVersion")), str(manifest.get("kind")), version)
    for error in sorted(validator.iter_errors(_lists(manifest)), key=lambda error: list(map(str, error.absolute_path))):
        if placeholder_in(error.instance) is not None:
            continue
        path = tuple(error.absolute_path)
        is_of_model = custom is not None and "x-model" in custom and not _POD_KEYS & set(path)
        is_certain = not (is_of_model or (custom is not None and error.validator == "required"))
        yield Objection(path, error.message[:_LONGEST], is_certain)


@cache
def _validator(api_version: str, kind: str, version: str) -> Any:
    custom = _custom().get(f"{api_version} {kind}")
    schema = _native(api_version, kind, version) if custom is None else _closed(custom)
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415  both come with it
    from referencing import Registry, Resource  # noqa: PLC0415

    definitions = _library().schema_contents(f"{_folder(version)}/_definitions.json", version)
    registry = (Resource.from_contents(definitions) @ Registry()).crawl()
    resource = Resource.from_contents({"$schema": definitions["$schema"], "$id": "https://kubernetes.io/x", **schema})
    validator = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"pattern": _pattern}
    )
    return validator(resource.contents, registry=resource @ registry)


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    """Search as Go does, in whose language the patterns are written."""
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  only manifests need it
    from jsonschema import ValidationError  # noqa: PLC0415

    if isinstance(value, str) and re2.search(pattern, value) is None:
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _native(api_version: str, kind: str, version: str) -> dict[str, Any]:
    library = _library()
    group = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    name = f"{kind.lower()}-{group}.json"
    if not re.fullmatch(r"[a-z0-9.-]+", name):
        raise UnknownKindError(f"there is no kind {kind} of {api_version}")
    try:
        schema: dict[str, Any] = library.schema_contents(f"{_folder(version)}/{name}", version)
    except (library.SchemaNotFoundError, library.InvalidSchemaError, FileNotFoundError) as error:
        message = f"kind {kind} of {api_version} is none of Kubernetes {version}, nor one whose schema trainyard has"
        raise UnknownKindError(message) from error
    return schema


@cache
def _custom() -> Mapping[str, Any]:
    kinds: Mapping[str, Any] = json.loads(_CUSTOM.read_bytes())["kinds"]
    return kinds


def _closed(schema: Any) -> Any:
    """Return a schema that refuses keys which Kubernetes would not keep, and that leads to its own schema of pods."""
    if not isinstance(schema, dict):
        return schema
    if schema == {"$ref": "pod"}:
        return {"$ref": _POD}
    closed = {key: value for key, value in schema.items() if not key.startswith("x-")}
    for key in ("items", "additionalProperties", "not"):
        closed |= {key: _closed(schema[key])} if key in schema else {}
    for key in ("anyOf", "oneOf", "allOf"):
        closed |= {key: list(schema[key])} if key in schema else {}
    if "properties" in schema:
        closed["properties"] = {name: _closed(member) for name, member in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields") and "additionalProperties" not in schema:
            closed["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        closed["type"] = ["integer", "string"]
    return closed


def _lists(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _lists(member) for key, member in value.items()}
    return [_lists(member) for member in value] if isinstance(value, tuple | list) else value


def _folder(version: str) -> str:
    return f"kubernetes-json-schema/v{version}.0-local-strict"


@cache
def _library() -> Any:
    try:
        from kubernetes_validate import utils  # noqa: PLC0415  not everybody has it
    except ImportError as error:
        raise TrainyardError("kubernetes-validate is not installed", hint=INSTALL) from error
    return utils
