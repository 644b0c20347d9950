"""checkov, an outside judge, on all templates. What it may object to stands in checkov.yaml with reasons."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.checkov import Objection, objections
from tests.render.cloudformation.templates import TEMPLATES, written_to
from trainyard.platforms.eks import rendering as eks_rendering

GOLDEN = Path(__file__).parents[2] / "bundle" / "golden"
ACCEPTED = yaml.safe_load(Path(__file__).with_name("checkov.yaml").read_text(encoding="utf-8"))


def test_what_is_accepted_has_a_reason_and_is_still_there():
    batch = yaml.safe_load((GOLDEN / "batch-p5" / "batch.yaml").read_text(encoding="utf-8"))
    for accepted in ACCEPTED.values():
        assert accepted["reason"]
        assert accepted["resource"] in {**TEMPLATES, "batch": batch}[accepted["template"]]["Resources"]


@pytest.mark.integration
def test_it_objects_to_nothing_but_what_has_a_reason(tmp_path: Path):
    written_to(tmp_path)
    shutil.copy(GOLDEN / "batch-p5" / "batch.yaml", tmp_path)
    shutil.copy(Path(eks_rendering.__file__).parent / "nodes.yaml", tmp_path)
    assert objections(tmp_path, "cloudformation") == {
        Objection(check, accepted["template"], accepted["resource"], "")
        for check, accepted in ACCEPTED.items()
        if not accepted.get("resolved")
    }


@pytest.mark.exhaustive
def test_nor_in_the_template_of_any_architecture(tmp_path: Path):
    for template in GOLDEN.glob("*/batch.yaml"):
        shutil.copy(template, tmp_path / f"{template.parent.name}.yaml")
    found = {(objection.check, objection.resource) for objection in objections(tmp_path, "cloudformation")}
    assert found == {
        (check, accepted["resource"]) for check, accepted in ACCEPTED.items() if accepted["template"] == "batch"
    }
