"""What programs read. docs/json.md describes it; a change of these shapes is a change of the schema number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.examples import example_spec
from trainyard.cli.output import json_requested

FINDING = {"id", "severity", "file", "line", "column", "path", "message", "remedy", "source"}


@pytest.fixture
def read(trainyard):
    """Return a function that runs a command with --json and gives its exit status and the one object that it prints."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        ran = trainyard(*arguments, "--json")
        assert ran.err == ""
        assert ran.out.isascii()
        return ran.status, json.loads(ran.out)

    return run


def test_check_prints_findings_of_every_file(read, tmp_path):
    (tmp_path / "right.yaml").write_text(example_spec(""))
    (tmp_path / "wrong.yaml").write_text(example_spec("name: 3"))
    (tmp_path / "warned.yaml").write_text(example_spec("queues: [{name: a, instance_type: p5.47xlarge}]"))
    files = [{"file": "right.yaml", "kind": "spec", "not_judged": None}]
    assert read("check", "right.yaml") == (0, {"schema": 1, "findings": [], "files": files})
    status, printed = read("check", "right.yaml", "wrong.yaml", "warned.yaml", "missing.yaml")
    assert status == 2
    assert printed.keys() == {"schema", "findings", "files"}
    assert [(one["file"], one["kind"]) for one in printed["files"]] == [
        ("right.yaml", "spec"), ("wrong.yaml", None), ("warned.yaml", "spec"), ("missing.yaml", None),
    ]  # fmt: skip
    assert [(one["file"], one["severity"], one["line"], one["path"]) for one in printed["findings"]] == [
        ("wrong.yaml", "error", 1, "name"),
        ("warned.yaml", "warning", 1, "queues[0].instance_type"),
        ("missing.yaml", "error", None, None),
    ]
    assert all(finding.keys() == FINDING for finding in printed["findings"])


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["explain", "nothing"], "ID"),
        (["instances", "nothing"], "TYPE"),
        (["new", "nothing"], "ARCH"),
        (["new", "p5-observability", "--set", "x"], "--set"),
        (["check"], "trainyard check"),
        (["check", "--nothing"], "trainyard check"),
        (["nothing"], "trainyard"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_that_cannot_do_its_work_prints_why(read, arguments, where):
    status, printed = read(*arguments)
    assert status == 2
    assert printed == {
        "schema": 1,
        "error": {"problem": printed["error"]["problem"], "where": where, "hint": printed["error"]["hint"]},
    }
    assert printed["error"]["problem"]
    assert printed["error"]["hint"]


@pytest.mark.parametrize(
    "arguments",
    [["render"], ["new", "p5-observability", "--set", "nmae=a", "--set", "name=3", "-o"]],
    ids=["render", "new"],
)
def test_findings_stand_beside_the_error_that_they_are_the_reason_of(read, tmp_path, arguments):
    (tmp_path / "cluster.yaml").write_text(example_spec("name: 3\nnmae: a"))
    status, printed = read(*arguments, "cluster.yaml" if arguments == ["render"] else "new.yaml")
    assert status == 2
    assert printed.keys() == {"schema", "error", "findings"}
    assert printed["error"].keys() == {"problem", "where", "hint"}
    assert printed["error"]["problem"].endswith("(and 1 more)")
    assert {finding["id"] for finding in printed["findings"]} == {"spec-bad-value", "spec-unknown-key"}
    assert all(finding.keys() == FINDING for finding in printed["findings"])
    assert not (tmp_path / "new.yaml").exists()


def test_a_failure_to_write_ends_with_1(read, tmp_path):
    (tmp_path / "file").touch()
    status, printed = read("new", "p5-observability", "-o", "file/new.yaml")
    assert (status, printed["error"]["problem"]) == (1, "could not write file/new.yaml: File exists")


def test_render_prints_what_it_wrote_or_the_errors_that_kept_it_from_writing(read, tmp_path):
    (tmp_path / "right.yaml").write_text(example_spec(""))
    status, printed = read("render", "right.yaml", "-o", "made")
    assert (status, Path(printed["folder"]).absolute(), printed["kept"]) == (0, tmp_path / "made", None)
    assert {tmp_path / "made" / name for name in printed["files"]} < set((tmp_path / "made").rglob("*"))
    (tmp_path / "wrong.yaml").write_text(example_spec("region: us-west-2\nnetwork: {availability_zone: us-east-2a}"))
    status, printed = read("render", "wrong.yaml", "-o", "other")
    assert (status, printed["folder"], printed["files"]) == (1, None, [])
    assert [finding["id"] for finding in printed["findings"]] == ["outside-region"]
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["architectures"], {"schema", "architectures"}),
        (["instances"], {"schema", "instance_types"}),
        (["instances", "p5.48xlarge"], {"schema", "instance_type", "sources", "interfaces"}),
        (["explain"], {"schema", "explanations"}),
        (["explain", "yaml-tab"], {"schema", "explanation"}),
        (["new", "p5-observability"], {"schema", "architecture", "file", "spec"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_result_has_its_keys(read, arguments, keys):
    status, printed = read(*arguments)
    assert (status, printed["schema"], printed.keys()) == (0, 1, keys)


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([], False),
        (["check", "a"], False),
        (["check", "--json"], True),
        (["check", "--format=json"], True),
        (["check", "--format", "json"], True),
        (["check", "--format", "text", "json"], False),
        (["--format"], False),
    ],
    ids=str,
)
def test_a_command_line_that_asks_for_json_is_known_even_when_it_is_wrong(arguments, asked):
    assert json_requested(arguments) == asked
