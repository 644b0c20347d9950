"""checkov, an outside judge, on the manifests of clusters. What it may object to is in checkov.yaml, with reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.checkov import objections
from tests.platforms.eks.rendering.manifests.clusters import SPECS, made

ACCEPTED = yaml.safe_load(Path(__file__).with_name("checkov.yaml").read_text(encoding="utf-8"))


def found(folder: Path, name: str) -> dict[str, set[str]]:
    """Return in which files it objects to what."""
    for file, documents in made(SPECS[name]).items():
        (folder / file.replace("/", "-")).write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    by_check: dict[str, set[str]] = {}
    for objection in objections(folder, "kubernetes"):
        assert objection.severity not in ("HIGH", "CRITICAL")
        by_check.setdefault(objection.check, set()).add(objection.file)
    return by_check


@pytest.mark.integration
def test_it_objects_to_nothing_in_a_cluster_with_everything_but_what_has_a_reason(tmp_path: Path):
    assert all(accepted["reason"] and accepted["says"] for accepted in ACCEPTED.values())
    assert found(tmp_path, "all") == {check: set(accepted["files"]) for check, accepted in ACCEPTED.items()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in SPECS if name != "all"])
def test_nor_in_any_other_cluster(tmp_path: Path, name: str):
    examples = {file for accepted in ACCEPTED.values() for file in accepted["files"] if file.startswith("examples-")}
    for check, files in found(tmp_path, name).items():
        known = set(ACCEPTED[check]["files"])
        assert {file for file in files if not (file.startswith("examples-") and known & examples)} <= known
