"""Checking one file: rules first, then validators that are not ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples import example_spec
from trainyard.checking.spec_file import check_file, check_text
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.spec import ParsedSpec


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "cluster.yaml"
    file.write_text(example_spec("queues: [{name: q, instance_type: p5.48xlarge, nodes: {max: 2}, efa: false}]"))
    return file


def refuses(parsed: ParsedSpec) -> Iterator[Finding]:
    yield Finding("parallelcluster-schema", "error", "no", file=parsed.document.file, line=1, column=1)


def breaks(_parsed: ParsedSpec) -> Iterator[Finding]:
    raise TrainyardError("could not reach the package index", hint="connect to a network")


def test_what_outside_validators_say_comes_with_what_the_rules_say(spec: Path):
    found = check_file(str(spec), (refuses,)).findings
    assert [(one.id, one.severity) for one in found] == [
        ("parallelcluster-schema", "error"),
        ("efa-switched-off", "warning"),
    ]


def test_a_validator_that_cannot_run_is_a_finding_and_the_others_still_speak(spec: Path):
    checked = check_file(str(spec), (breaks, refuses))
    broken = next(finding for finding in checked.findings if finding.id == "validator-not-run")
    assert (broken.severity, broken.message) == ("error", "could not reach the package index")
    assert (broken.remedy, broken.file) == ("connect to a network", str(spec))
    assert broken.source is not None
    assert "parallelcluster-schema" in {finding.id for finding in checked.findings}


def test_what_the_rules_refuse_is_not_shown_to_outside_validators(spec: Path):
    spec.write_text(example_spec("image: {os: alinux2}"))
    assert {finding.id for finding in check_file(str(spec), (breaks, refuses)).findings} == {"os-not-supported"}


def test_a_finding_has_the_value_that_puts_it_right_only_where_there_is_one():
    imds, *_ = check_text(example_spec("parallelcluster: {imds: v1.0}"), "cluster.yaml").findings
    assert imds.as_json()["fix"] == {"path": "parallelcluster.imds", "value": "v2.0"}
    unfixed, *_ = check_text(example_spec("queues: [{name: a, instance_type: p5.47xlarge}]"), "cluster.yaml").findings
    assert "fix" not in unfixed.as_json()
