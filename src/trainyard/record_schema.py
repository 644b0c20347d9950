"""How pydantic sees a record, and the stored form of its validator. Used by ``make generate``, never by a command."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import textwrap
import typing
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import __version__, core_schema

from trainyard.record import Record


def core_schema_of(record: type[Record], handler: Any) -> core_schema.CoreSchema:
    """Return the core schema of a record: one field an annotation, no other keys, scalars exactly of their type."""
    texts = field_texts(record)
    fields = {}
    hints = typing.get_type_hints(record, include_extras=True)
    for name in record.field_names():
        schema = handler.generate_schema(Annotated[hints[name], Field(description=texts[name])])
        if hasattr(record, name):
            schema = core_schema.with_default_schema(schema, default=getattr(record, name), validate_default=True)
        fields[name] = core_schema.model_field(schema)
    return core_schema.model_schema(
        record,
        core_schema.model_fields_schema(fields, extra_behavior="forbid"),
        ref=f"{record.__module__}:{record.__qualname__}",
        config=core_schema.CoreConfig(strict=True),
        metadata={"pydantic_js_updates": _one_of(record)},
    )


def field_texts(record: type[Record]) -> dict[str, str]:
    """Return what the strings below a record's fields say about them."""
    texts: dict[str, str] = {}
    for owner in record.__mro__[: record.__mro__.index(Record)]:
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        texts = _texts_in(body) | texts
    return texts


def _texts_in(body: ast.stmt) -> dict[str, str]:
    texts: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, text in itertools.pairwise(statements):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as words)):
                texts[name] = inspect.cleandoc(words)
    return texts


def _one_of(record: type[Record]) -> dict[str, Any]:
    groups = [{"oneOf": [_is_written(name) for name in group]} for group in record.one_of]
    return {"allOf": groups} if len(groups) > 1 else groups[0] if groups else {}


def _is_written(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def compiled_text(record: type[Record]) -> str:
    """Return the text of ``compiled.json`` for a record."""
    imports: list[Any] = []
    tuples: list[Any] = []
    schema = _plain(TypeAdapter(record).core_schema, (), imports, tuples)
    compiled = {"pydantic_core": __version__, "imports": imports, "tuples": tuples, "schema": schema}
    return json.dumps(compiled, separators=(",", ":")) + "\n"


def json_schemas(records: dict[str, type[Record]]) -> tuple[dict[str, JsonSchemaValue], JsonSchemaValue]:
    """Return the JSON Schema of the input that each record accepts, and the definitions that they share."""
    inputs: list[Any] = [(name, "validation", TypeAdapter(record)) for name, record in records.items()]
    schemas, shared = TypeAdapter.json_schemas(inputs, schema_generator=_JsonSchema)
    definitions = shared.get("$defs", {})
    return {name: _inlined(schema, definitions) for (name, _), schema in schemas.items()}, definitions


def _inlined(schema: JsonSchemaValue, definitions: JsonSchemaValue) -> JsonSchemaValue:
    """Return what a reference refers to, which is then no definition any more."""
    return definitions.pop(schema["$ref"].removeprefix("#/$defs/")) if "$ref" in schema else schema


class _JsonSchema(GenerateJsonSchema):
    """Says that every key of a mapping has the form of its keys; pydantic allows any others besides."""

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        keys, values = (self.generate_inner(schema[part]) for part in ("keys_schema", "values_schema"))
        return {"type": "object", "propertyNames": keys, "additionalProperties": values}


def _plain(node: Any, place: tuple[str | int, ...], imports: list[Any], tuples: list[Any]) -> Any:
    """Return a part of a schema as JSON has it; what it cannot say is noted with its place, inner tuples first."""
    if isinstance(node, dict):
        members = ((key, value) for key, value in node.items() if key != "metadata")
        return {key: _plain(value, (*place, key), imports, tuples) for key, value in members}
    if isinstance(node, list | tuple):
        items = [_plain(item, (*place, number), imports, tuples) for number, item in enumerate(node)]
        if isinstance(node, tuple):
            tuples.append(place)
        return items
    if isinstance(node, type) or callable(node):
        imports.append((place, f"{node.__module__}:{node.__qualname__}"))
        return None
    return node
