"""``check --fix``, ``--diff`` and ``--baseline`` on the command line."""

from __future__ import annotations

import json

import pytest

from tests.examples import example_spec

SPEC = example_spec("parallelcluster: {imds: v1.0}\n")
RIGHT = SPEC.replace("v1.0", "v2.0")


@pytest.fixture
def spec(tmp_path):
    """Return a spec with a finding that has a fix, for nobody else to read."""
    file = tmp_path / "cluster.yaml"
    file.write_text(SPEC)
    file.chmod(0o600)
    return file


def test_a_difference_is_shown_and_nothing_written(trainyard, spec):
    ran = trainyard("check", "--diff", "cluster.yaml")
    assert (ran.status, spec.read_text()) == (1, SPEC)
    assert "-parallelcluster: {imds: v1.0}\n+parallelcluster: {imds: v2.0}\n" in ran.out
    assert ran.err == "1 fix: imds-version-1\n"


def test_a_fix_is_written_with_the_rights_of_the_file_and_the_rest_is_told(trainyard, spec):
    ran = trainyard("check", "--fix", "--yes", "--json", "cluster.yaml")
    assert (ran.status, spec.read_text(), spec.stat().st_mode & 0o777) == (0, RIGHT, 0o600)
    assert "imds-version-1" not in {finding["id"] for finding in json.loads(ran.out)["findings"]}
    assert trainyard("check", "--diff", "cluster.yaml").status == 0


@pytest.mark.parametrize(("answer", "text"), [("y\n", RIGHT), ("n\n", SPEC)])
def test_without_yes_it_asks(trainyard, spec, answer, text):
    ran = trainyard("check", "--fix", "cluster.yaml", standard_input=answer)
    assert (spec.read_text(), "Write this into 1 file?" in ran.err) == (text, True)


def test_a_link_stays_a_link_to_the_file_that_is_fixed(trainyard, spec, tmp_path):
    (tmp_path / "link.yaml").symlink_to(spec)
    trainyard("check", "--fix", "--yes", "link.yaml")
    assert (spec.read_text(), (tmp_path / "link.yaml").is_symlink()) == (RIGHT, True)


def test_a_file_that_cannot_be_written_is_named_and_as_it_was(trainyard, tmp_path):
    ran = trainyard("check", "--fix", "-")
    assert (ran.status, "standard input" in ran.err) == (2, True)


def test_a_baseline_leaves_out_what_it_lists_and_nothing_else(trainyard, spec):
    assert trainyard("check", "--write-baseline", "known.json", "cluster.yaml").status == 0
    ran = trainyard("check", "--baseline", "known.json", "cluster.yaml")
    assert "known from the baseline" in ran.out
    assert "imds-version-1" not in ran.out
    spec.write_text(SPEC.replace("p5.48xlarge", "p5.48xlarge, nodes: {min: 8, max: 4}"))
    ran = trainyard("check", "--baseline", "known.json", "cluster.yaml")
    assert (ran.status, "min-above-max" in ran.out) == (1, True)
