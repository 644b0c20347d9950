from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.examples import example_spec
from tests.specs import spec_texts
from trainyard.architectures import all_architectures
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text
from trainyard.errors import SpecError
from trainyard.spec.json_schema import spec_json_schema
from trainyard.spec.parsing import parse

SCHEMA = spec_json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
ARCHITECTURES = {architecture.name: architecture.text for architecture in all_architectures()}
DESIGN = Path(__file__).with_name("design.yaml").read_text()


def is_a_spec(text: str) -> bool:
    try:
        parse(text, "f")
    except SpecError:
        return False
    return True


def as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_json(member) for key, member in value.items()}
    return [as_json(member) for member in value] if isinstance(value, tuple) else value


def is_accepted(text: str) -> bool:
    return VALIDATOR.is_valid(as_json(read_yaml(text, "f").value))


def test_the_schema_is_one():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", [DESIGN, *ARCHITECTURES.values()], ids=["design", *ARCHITECTURES])
def test_a_whole_spec_is_accepted(text):
    assert [error.message for error in VALIDATOR.iter_errors(as_json(read_yaml(text, "f").value))] == []


@given(spec_texts())
def test_any_spec_is_accepted(text):
    assert is_accepted(text)


def test_every_key_says_what_it_means():
    sections = [SCHEMA["then"], SCHEMA["else"], *SCHEMA["$defs"].values()]
    described = {name: key.get("description") for section in sections for name, key in section["properties"].items()}
    # Two keys repeat what their section says of itself, and then pydantic leaves it to the section.
    assert {name for name, text in described.items() if not text} <= {"image", "timeouts"}


@pytest.mark.parametrize(
    "part",
    [
        "nmae: a",
        "name: a/b",
        "name:",
        "platform: slurm",
        "queues: []",
        "queues: [3]",
        "queues: [{name: a}]",
        "queues: [{name: a, instance_type: a.b, compute_resources: [{instance_type: a.b}]}]",
        "queues: [{name: a, instance_type: null}]",
        "queues: [{name: a, instance_type: a.b, nodes: 0}]",
        "queues: [{name: a, instance_type: a.b, nodes: true}]",
        "queues: [{name: a, instance_type: a.b, nodes: {min: 1}}]",
        "queues: [{name: a, instance_type: a.b, capacity: {}}]",
        "queues: [{name: a, instance_type: a.b, availability_zone: []}]",
        "file_systems: [{mount: /a}]",
        "file_systems: [{mount: /a, ebs: {size_gib: 1}, openzfs: {size_gib: 1}}]",
        "monitoring: {log_retention_days: 2}",
        "monitoring: {log_retention_days: true}",
        "tags: {a!: b}",
        "tags: {a: 1}",
        f"tags: {{a: {'b' * 257}}}",
        f"tags: {{{'a' * 129}: b}}",
    ],
)
def test_what_is_no_spec_is_not_accepted(part):
    assert not is_a_spec(example_spec(part))
    assert not is_accepted(example_spec(part))


@pytest.mark.parametrize(
    "part",
    [
        "queues: [{name: a, instance_type: a.b, compute_resources: null}]",
        "queues: [{name: a, instance_type: a.b, capacity: {reservation: null, capacity_block: cr-01234567}}]",
        "login_nodes: null",
    ],
)
def test_a_key_that_is_written_and_left_empty_is_accepted_where_a_spec_may_leave_it_empty(part):
    assert is_a_spec(example_spec(part))
    assert is_accepted(example_spec(part))


# All that JSON Schema, or Python's validator of it, cannot say.
@pytest.mark.parametrize(
    "part",
    [
        pytest.param("queues: [{name: a, instance_type: a.b, nodes: 4.0}]", id="to JSON Schema 4.0 is a whole number"),
        pytest.param('name: "a\\n"', id="to Python's patterns a line end at the end is none"),
        pytest.param(
            "access: {directory_service: {domain: example.com, addresses: [ldaps://dc.example.com], "
            "read_only_user: cn=a, password_secret: 'arn:aws:secretsmanager:us-east-2:123456789012:secret:s-AbCdEf', "
            'sssd: {a: "b\\u200Bc"}}}',
            id="patterns have no word for what nobody sees",
        ),
    ],
)
def test_what_json_schema_cannot_say_is_refused_all_the_same(part):
    assert is_accepted(example_spec(part))
    assert not is_a_spec(example_spec(part))


def is_beyond_json_schema(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(is_beyond_json_schema, (*value, *value.values())))
    if isinstance(value, list):
        return any(map(is_beyond_json_schema, value))
    return (isinstance(value, float) and value.is_integer()) or (isinstance(value, str) and not value.isprintable())


OTHERS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 400), st.floats(), st.text("a-0.:/ \nA{é", max_size=6),
    st.sampled_from([[], {}, [[]], [{}], "us-east-2", "us-east-2a", "on-demand", "private", "1.2.3.4/5", "m5.large",
                     {"size_gib": 1}, {"mount": "/a"}, {"min": 0, "max": 1}, {"reservation": None}, ["us-east-2a"]]),
)  # fmt: skip
SECTIONS = [SCHEMA["then"], SCHEMA["else"], *SCHEMA["$defs"].values()]
KEYS = sorted({name for section in SECTIONS for name in section["properties"]} | {"x", ""})


def containers_of(value: Any) -> list[Any]:
    if not isinstance(value, dict | list) or not value:
        return []
    members = list(value.values()) if isinstance(value, dict) else value
    return [value, *(inner for member in members for inner in containers_of(member))]


@given(st.data())
def test_a_damaged_spec_is_refused_by_both_or_by_neither(data):
    spec = copy.deepcopy(as_json(read_yaml(DESIGN, "f").value))
    for _ in range(data.draw(st.integers(1, 3))):
        container = data.draw(st.sampled_from(containers_of(spec)))
        place = data.draw(st.sampled_from(sorted(container) if isinstance(container, dict) else range(len(container))))
        match data.draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                container[place] = copy.deepcopy(data.draw(OTHERS))
            case "remove":
                del container[place]
            case "add" if isinstance(container, dict):
                container[data.draw(st.sampled_from(KEYS))] = copy.deepcopy(data.draw(OTHERS))
        if not spec:
            return
    if not is_beyond_json_schema(spec):
        assert is_a_spec(yaml_text(spec)) == is_accepted(yaml_text(spec))
