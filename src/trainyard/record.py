"""Immutable, validated values: what the spec and the data files are read into.

pydantic says which input is right. Building its validators takes longer than everything else that ``check`` does,
so they are built once, by ``make generate``, and stored beside the records as ``compiled.json``
(docs/decisions/0001-compiled-validators.md). Validation itself is always pydantic-core's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from pydantic_core import SchemaValidator, __version__, from_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """A part of a spec or of a data file. Made only by validating plain data; never changed afterwards.

    Fields are annotations, defaults are plain data that is validated like input.
    ``one_of`` names groups of fields of which exactly one must be written.
    """

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")

    one_of: ClassVar[tuple[tuple[str, ...], ...]] = ()
    model_config: ClassVar[dict[str, object]] = {"extra": "forbid"}  # pydantic's JSON Schema generator reads this

    if TYPE_CHECKING:
        __pydantic_fields_set__: set[str]

    @property
    def written(self) -> frozenset[str]:
        """The fields that the input gave, as opposed to those that were left to their defaults."""
        return frozenset(self.__pydantic_fields_set__)

    def replaced(self, **fields: Any) -> Self:
        """Return the record with other values in some fields. They are not validated: they come from records."""
        other = object.__new__(type(self))
        object.__setattr__(other, "__dict__", {**self.__dict__, **fields})
        object.__setattr__(other, "__pydantic_fields_set__", self.__pydantic_fields_set__ | set(fields))
        object.__setattr__(other, "__pydantic_extra__", None)
        object.__setattr__(other, "__pydantic_private__", None)
        return other

    @classmethod
    def field_names(cls) -> Iterator[str]:
        """Yield the names of the fields, inherited ones last."""
        for owner in cls.__mro__[: cls.__mro__.index(Record)]:
            yield from owner.__annotations__

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: records are values."""
        raise AttributeError(f"{type(self).__name__} is immutable; cannot set {name!r} to {value!r}")

    def __delattr__(self, name: str) -> None:
        """Refuse, as above."""
        raise AttributeError(f"{type(self).__name__} is immutable; cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        """Compare by type and content."""
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        """Hash by content, except for mappings, which have no hash."""
        return hash((type(self), *(value for value in self.__dict__.values() if not isinstance(value, dict))))

    def __repr__(self) -> str:
        """Show every field."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Let pydantic build the schema. Only on the way where nothing compiled is at hand."""
        from trainyard import record_schema  # pydantic takes as long to import as a whole check

        return record_schema.core_schema_of(cls, handler)


def validator_of(record: type[Record], compiled_file: Path) -> SchemaValidator:
    """Return the validator of a record: the compiled one, or one built now where pydantic-core is another version."""
    compiled = from_json(compiled_file.read_bytes())
    if compiled["pydantic_core"] == __version__:
        return SchemaValidator(_completed(compiled))
    from pydantic import TypeAdapter  # the slow way: see the module's own text

    return SchemaValidator(TypeAdapter(record).core_schema)


def _completed(compiled: dict[str, Any]) -> Any:
    """Return the schema with what JSON cannot say put in at the places that are stored beside it."""
    schema = compiled["schema"]
    for place, name in compiled["imports"]:
        module, _, attribute = name.partition(":")
        _part(schema, place[:-1])[place[-1]] = getattr(import_module(module), attribute)
    for place in compiled["tuples"]:
        part = _part(schema, place[:-1])
        part[place[-1]] = tuple(part[place[-1]])
    return schema


def _part(schema: Any, place: list[str | int]) -> Any:
    for key in place:
        schema = schema[key]
    return schema
