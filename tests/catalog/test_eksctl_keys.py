"""The keys of eksctl, against its own schema where that is at hand."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.examples import example_document
from tests.oracles import EKSCTL_SCHEMA, needs
from trainyard.catalog import catalog_file
from trainyard.catalog.eksctl_keys import TOP, eksctl_kinds
from trainyard.rules import all_document_rules

ROOT = Path(__file__).parents[2]
OF_EKSCTL = [named for named in all_document_rules() if "eksctl" in named.kinds]


def test_the_data_says_what_it_was_made_of():
    data = json.loads((catalog_file.FOLDER / "eksctl_keys.json").read_bytes())
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    assert sources["eksctl"].url.startswith("https://github.com/")


def test_every_kind_that_a_key_leads_to_is_there():
    kinds = eksctl_kinds()
    named = [shape for keys in kinds.values() for shape in keys.values()]
    flat = [one for shape in named for one in (shape if isinstance(shape, list) else [shape])]
    flat = [one["*"] if isinstance(one, dict) and one else one for one in flat]
    assert {one for one in flat if isinstance(one, str)} | {TOP} == set(kinds)


@needs(EKSCTL_SCHEMA)
def test_the_data_is_what_the_tool_makes_of_the_schema():
    location = importlib.util.spec_from_file_location("eksctl_keys", ROOT / "tools" / "eksctl_keys.py")
    assert location is not None
    assert location.loader is not None
    tool = importlib.util.module_from_spec(location)
    location.loader.exec_module(tool)
    stored = (catalog_file.FOLDER / "eksctl_keys.json").read_text()
    read = json.loads(stored)["sources"]["eksctl"]["read"]
    assert tool.keys_text(json.loads(EKSCTL_SCHEMA.read_text()), read) == stored


@needs(EKSCTL_SCHEMA)
@pytest.mark.parametrize("named", OF_EKSCTL, ids=lambda named: named.id)
def test_eksctl_s_own_schema_accepts_every_good_example(named):
    document = yaml.safe_load(example_document("eksctl", named.good))
    jsonschema.validate(document, json.loads(EKSCTL_SCHEMA.read_text()))


@needs(EKSCTL_SCHEMA)
@pytest.mark.parametrize("rule", ["eksctl-unknown-key", "eksctl-wrong-shape", "eksctl-reservation-key-misspelt"])
def test_eksctl_s_own_schema_refuses_what_rules_about_keys_refuse(rule: str):
    bad = next(named.bad for named in OF_EKSCTL if named.id == rule)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(example_document("eksctl", bad)), json.loads(EKSCTL_SCHEMA.read_text()))
