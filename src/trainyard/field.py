"""Types of record fields: text of a stated form, numbers in a stated range, and values that come in several shapes.

Each says in plain words what is meant, and that is the error a user reads. Nothing here imports pydantic itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic_core.core_schema import CoreSchema


class Text(NamedTuple):
    """Annotates text that matches a pattern; ``what`` completes the sentence "must be …".

    With ``numbers``, a whole number is taken as well, and stays one. Of ways to write the same, ``normal`` returns the
    one that is kept; it is a function of a module. Where people write a secret instead of its name, ``secret`` keeps
    what they wrote out of the error.
    """

    pattern: str
    what: str
    longest: int | None = None
    numbers: bool = False
    normal: Callable[[str], str] | None = None
    secret: bool = False

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Return pydantic's schema of such text."""
        from pydantic_core import core_schema  # only `make generate` gets here

        text: CoreSchema = core_schema.str_schema(pattern=self.pattern, max_length=self.longest, strict=True)
        if self.normal is not None:
            text = core_schema.no_info_after_validator_function(self.normal, text)
        number = core_schema.int_schema(strict=True)
        error_type = "secret_value" if self.secret else "bad_value"
        return _must_be(self.what, core_schema.union_schema([text, number]) if self.numbers else text, error_type)


class Whole(NamedTuple):
    """Annotates a whole number from ``least`` to ``most``; ``what`` completes the sentence "must be …"."""

    what: str
    least: int | None = None
    most: int | None = None

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Return pydantic's schema of such a number."""
        from pydantic_core import core_schema  # only `make generate` gets here

        return _must_be(self.what, core_schema.int_schema(ge=self.least, le=self.most, strict=True))


class Above(NamedTuple):
    """Annotates a number, whole or not, above ``limit``; ``what`` completes the sentence "must be …"."""

    what: str
    limit: float

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Return pydantic's schema of such a number."""
        from pydantic_core import core_schema  # only `make generate` gets here

        number = core_schema.float_schema(gt=self.limit, strict=True, allow_inf_nan=False)
        return _must_be(self.what, number)


class Exactly:
    """Annotates a Literal of whole numbers. By itself it would also take true for 1, and 14.0 for 14."""

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> CoreSchema:
        """Return pydantic's schema of such a number."""
        from pydantic_core import core_schema  # only `make generate` gets here

        *most, last = numbers = get_args(source)
        schema = core_schema.chain_schema(
            [core_schema.int_schema(strict=True), handler(source)],
            metadata={"pydantic_js_updates": {"enum": list(numbers)}},
        )
        return _must_be(f"{', '.join(str(number) for number in most)} or {last}", schema)


class OneOf(NamedTuple):
    """Annotates a name that a table knows. The table is asked when a value is read, so a new entry is accepted at once.

    ``check`` returns the name, or raises a PydanticCustomError of type ``bad_value``. It is a function of a module.
    """

    names: Callable[[], Iterable[str]]
    check: Callable[[object], str]

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Return pydantic's schema of such a name."""
        from pydantic_core import core_schema  # only `make generate` gets here

        metadata = {"pydantic_js_updates": {"type": "string", "enum": list(self.names())}}
        return core_schema.no_info_after_validator_function(self.check, core_schema.any_schema(), metadata=metadata)


class NotEmpty(NamedTuple):
    """Annotates a list of at least one item; ``what`` completes the sentence "must have …"."""

    what: str

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> CoreSchema:
        """Return pydantic's schema of such a list."""
        from pydantic_core import core_schema  # only `make generate` gets here

        several = handler(source)
        non_empty = core_schema.tuple_schema([core_schema.any_schema()], variadic_item_index=0, min_length=1)
        at_least_one = core_schema.custom_error_schema(
            non_empty, custom_error_type="bad_value", custom_error_message=f"must have {self.what}"
        )
        json_schema = {"pydantic_js_updates": {"minItems": 1}}
        return core_schema.chain_schema([several, at_least_one], metadata=json_schema)


class ByShape(NamedTuple):
    """Annotates a union whose members differ in shape, so that an error speaks of the member that was meant."""

    what: str
    scalar: Any = None
    mapping: Any = None
    sequence: Any = None

    def __get_pydantic_core_schema__(self, _source: object, handler: Any) -> CoreSchema:
        """Return pydantic's schema of the union."""
        from pydantic_core import core_schema  # only `make generate` gets here

        members = {"scalar": self.scalar, "mapping": self.mapping, "sequence": self.sequence}
        schemas = {shape: handler.generate_schema(member) for shape, member in members.items() if member is not None}
        if "scalar" in schemas:
            schemas["scalar"] = _must_be(self.what, schemas["scalar"])
        return core_schema.tagged_union_schema(
            schemas,
            discriminator=shape_of,
            custom_error_type="bad_value",
            custom_error_message=f"must be {self.what}",
        )


def shape_of(value: object) -> str:
    """Return which kind of YAML value this is, which is also the name of the ``ByShape`` member that it must match."""
    if isinstance(value, dict):
        return "mapping"
    return "sequence" if isinstance(value, list | tuple) else "scalar"


Count = Annotated[int, Whole("a whole number, 0 or more", least=0)]
Positive = Annotated[int, Whole("a whole number, 1 or more", least=1)]


def _must_be(what: str, schema: CoreSchema, error_type: str = "bad_value") -> CoreSchema:
    from pydantic_core import core_schema  # only `make generate` gets here

    return core_schema.custom_error_schema(schema, custom_error_type=error_type, custom_error_message=f"must be {what}")
