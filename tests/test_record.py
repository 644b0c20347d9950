from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.specs import spec_texts
from trainyard.document.read import read_yaml
from trainyard.field import ByShape, Exactly, NotEmpty, Positive
from trainyard.record import Record, validator_of
from trainyard.record_schema import field_texts, json_schemas
from trainyard.spec.cluster import Spec
from trainyard.spec.image import Image
from trainyard.spec.login_nodes import LoginPool
from trainyard.spec.parsing import COMPILED
from trainyard.spec.queue import Queue


class Wheel(Record):
    """Part of a car."""

    size: Positive
    """Inches."""


class Car(Record):
    """A car."""

    one_of = (("petrol", "electric"), ("left", "right"))

    wheels: Annotated[tuple[Wheel, ...], NotEmpty("a wheel")]
    """What it rolls on."""
    doors: Annotated[Literal[3, 5], Exactly()] = 5
    """How many."""
    colour: Annotated[str | Wheel, ByShape("red, or a wheel", scalar=Literal["red"], mapping=Wheel)] = "red"
    """What is seen."""
    notes: dict[str, str] = {}  # noqa: RUF012  plain data, validated like input
    """Whatever."""
    petrol: bool | None = None
    """One."""
    electric: bool | None = None
    """Or the other."""
    left: bool | None = None
    """This side."""
    right: bool | None = None
    """Or that."""


def made(record: type[Record], **fields: object) -> Any:
    return TypeAdapter(record).validate_python(fields)


def errors_of(**fields: object) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(ValidationError) as raised:
        made(Car, **fields)
    return [(error["loc"], error["msg"]) for error in raised.value.errors()]


def test_a_field_that_is_not_written_has_its_default_and_defaults_are_validated():
    car = made(Car, wheels=({"size": 17},), colour={"size": 1})
    assert (car.doors, car.notes, car.wheels, car.colour) == (5, {}, (made(Wheel, size=17),), made(Wheel, size=1))


def test_a_record_knows_what_was_written():
    assert made(Image, os="ubuntu2204").written == {"os"}
    assert made(Image).written == set()


def test_records_are_equal_by_type_and_content_whatever_was_written():
    assert made(Image, os="ubuntu2204") == made(Image)
    assert made(Image, os="ubuntu2404") != made(Image)
    assert made(LoginPool) != made(Image)
    assert made(Image) != {"os": "ubuntu2204", "ami": None}


def test_equal_records_have_equal_hashes_and_others_mostly_have_not():
    one, other = made(Car, wheels=({"size": 1},), notes={"a": "1", "b": "2"}), made(Car, wheels=({"size": 1},))
    assert hash(one) == hash(made(Car, wheels=({"size": 1},), notes={"b": "2", "a": "1"}))
    assert len({one, other, made(Car, wheels=({"size": 2},))}) == 3
    assert len({hash(made(Wheel, size=size)) for size in range(1, 10)}) > 1


def test_a_record_shows_every_field():
    assert repr(made(Image)) == "Image(os='ubuntu2204', ami=None, built_for=None)"


def test_a_record_never_changes():
    image = made(Image)
    with pytest.raises(AttributeError, match="Image is immutable; cannot set 'os' to 'x'"):
        image.os = "x"
    with pytest.raises(AttributeError, match="cannot set 'other'"):
        image.other = "x"
    with pytest.raises(AttributeError, match="Image is immutable; cannot delete 'os'"):
        del image.os
    with pytest.raises(AttributeError):
        image.written.add("ami")
    assert image == made(Image)


def test_the_fields_of_a_record_are_its_own_before_inherited_ones():
    names = list(Queue.field_names())
    assert names.index("name") < names.index("nodes")
    assert set(names) == set(field_texts(Queue))


@pytest.mark.parametrize(
    ("fields", "location", "message"),
    [
        pytest.param({"wheels": ()}, ("wheels",), "must have a wheel", id="an empty list"),
        pytest.param({"wheels": ({"size": 0},)}, ("wheels", 0, "size"), "must be a whole number, 1 or more",
                     id="zero"),
        pytest.param({"wheels": ({"size": True},)}, ("wheels", 0, "size"), "must be a whole number, 1 or more",
                     id="true"),
        pytest.param({"wheels": ({"size": 1},), "doors": 4}, ("doors",), "must be 3 or 5", id="a number of others"),
        pytest.param({"wheels": ({"size": 1},), "doors": 3.0}, ("doors",), "must be 3 or 5", id="a float"),
        pytest.param({"wheels": ({"size": 1},), "colour": ()}, ("colour",), "must be red, or a wheel",
                     id="another shape"),
        pytest.param({"wheels": ({"size": 1},), "colour": "blue"}, ("colour", "scalar"), "must be red, or a wheel",
                     id="another word"),
        pytest.param({"wheels": ({"size": 1},), "doers": 1}, ("doers",), "Extra inputs are not permitted",
                     id="a typo"),
    ],
)  # fmt: skip
def test_an_error_says_in_the_words_of_the_field_what_must_be(fields, location, message):
    assert errors_of(**fields) == [(location, message)]


def test_the_json_schema_says_what_the_annotations_say():
    schema = json_schemas({"car": Car})[0]["car"]
    assert schema["properties"]["wheels"]["minItems"] == 1
    assert schema["properties"]["doors"]["enum"] == [3, 5]
    assert schema["properties"]["notes"]["additionalProperties"] == {"type": "string"}
    assert [[one["required"] for one in group["oneOf"]] for group in schema["allOf"]] == [
        [["petrol"], ["electric"]],
        [["left"], ["right"]],
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the validator as it is built where pydantic-core is not the version that the stored one is of."""
    other = tmp_path_factory.mktemp("compiled") / "compiled.json"
    other.write_text(json.dumps(json.loads(COMPILED.read_text()) | {"pydantic_core": "0.0.0", "schema": None}))
    return validator_of(Spec, other)


def outcome(validator: Any, value: object) -> object:
    try:
        return validator.validate_python(value)
    except ValidationError as error:
        return error.errors(include_url=False)


@given(text=spec_texts())
def test_the_stored_validator_and_one_that_is_built_make_the_same_spec(built, text):
    value = read_yaml(text, "f").value
    stored = validator_of(Spec, COMPILED)
    assert isinstance(outcome(stored, value), Spec)
    assert repr(outcome(stored, value)) == repr(outcome(built, value))


@given(
    value=st.dictionaries(st.sampled_from([*Spec.field_names(), "x"]), st.sampled_from([None, 1, "a", (), {}, ({},)]))
)
def test_the_stored_validator_and_one_that_is_built_find_the_same_errors(built, value):
    assert outcome(validator_of(Spec, COMPILED), value) == outcome(built, value)
