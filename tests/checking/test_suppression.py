"""Comments that suppress findings: which they reach, and what is wrong with one."""

from __future__ import annotations

import pytest

from tests.examples import example_document, example_spec
from trainyard.checking.any_file import check_any_file
from trainyard.checking.spec_file import FileFindings, check_text
from trainyard.checking.suppression import suppression_kinds

OPEN = "access: {allow_from: [0.0.0.0/0]}"
ERROR = "queues: [{name: a, instance_type: p5.48xlarge, nodes: {min: 8, max: 4}}]"


def checked(part: str) -> FileFindings:
    return check_text(example_spec(part), "cluster.yaml")


def ids(part: str) -> list[str]:
    return [finding.id for finding in checked(part).findings]


@pytest.mark.parametrize(
    "part",
    [
        f"{OPEN}  # trainyard: ignore ssh-open-to-world: for a day",
        f"{OPEN} #trainyard:ignore ssh-open-to-world:for a day",
        f"# trainyard: ignore ssh-open-to-world: for a day\n{OPEN}",
        f"# trainyard: ignore ssh-open-to-world: for a day\n# and another comment\n{OPEN}",
        "access:\n  allow_from:\n    # trainyard: ignore ssh-open-to-world: for a day\n    - 0.0.0.0/0",
        f"{OPEN} # trainyard: ignore ssh-open-to-world: see https://example.com/why",
    ],
)
def test_a_comment_on_the_line_or_above_it_suppresses_a_warning(part):
    result = checked(part)
    assert [finding.id for finding in result.findings] == []
    assert [finding.id for finding in result.suppressed] == ["ssh-open-to-world"]


def test_one_comment_names_several_ids():
    monitoring = "monitoring: {logs: false}"
    assert "logs-off" in ids(monitoring)
    comment = "# trainyard: ignore ssh-open-to-world, logs-off: for a day"
    assert ids(f"{monitoring} {comment}") == ["suppression-without-effect"]


def test_a_comment_does_not_reach_another_line():
    part = f"# trainyard: ignore ssh-open-to-world: for a day\n\n{OPEN}"
    result = checked(part)
    assert [(finding.id, finding.line) for finding in result.findings] == [
        ("suppression-without-effect", 1),
        ("ssh-open-to-world", 3),
    ]
    assert result.suppressed == ()


def test_an_error_stays_and_the_comment_is_a_finding_that_says_so():
    found = checked(f"{ERROR}  # trainyard: ignore min-above-max: later").findings
    assert [finding.id for finding in found] == ["min-above-max", "suppression-of-error"]
    assert found[1].message == "min-above-max on line 1 is an error, and only warnings and infos can be ignored"
    assert (found[1].line, found[1].column, found[1].file) == (1, ERROR.index("]") + 4, "cluster.yaml")


@pytest.mark.parametrize("comment", ["ignore ssh-open-to-world", "ignore ssh-open-to-world:  "])
def test_without_a_reason_nothing_is_suppressed(comment):
    assert ids(f"{OPEN} # trainyard: {comment}") == ["ssh-open-to-world", "suppression-without-reason"]


def test_an_unknown_id_is_answered_with_the_nearest():
    found = checked(f"{OPEN} # trainyard: ignore ssh-open-to-wrld: for a day").findings
    assert [finding.id for finding in found] == ["ssh-open-to-world", "suppression-of-unknown-id"]
    assert found[1].message == "no check finds 'ssh-open-to-wrld'; did you mean ssh-open-to-world?"


def test_what_stands_in_a_text_is_no_comment():
    text = 'tags: {note: "a # trainyard: ignore logs-of"}'
    assert not [id_ for id_ in ids(text) if id_.startswith("suppression-")]


def test_files_of_other_tools_are_suppressed_alike(tmp_path):
    part = "addons:\n  - name: vpc-cni  # trainyard: ignore eksctl-addon-not-pinned: follows EKS"
    (tmp_path / "eks.yaml").write_text(example_document("eksctl", part))
    result = check_any_file(str(tmp_path / "eks.yaml"))
    assert "eksctl-addon-not-pinned" in {finding.id for finding in result.suppressed}
    assert result.foreign == "eksctl"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "FROM ubuntu:22.04\n# trainyard: ignore ID: known\nRUN curl https://example.com/x | bash\n"),
        ("run.sh", "#!/bin/bash\nset -e\ncurl https://example.com/x | bash  # trainyard: ignore ID: known\n"),
        ("job.sbatch", "#!/bin/bash\n#SBATCH -N 2\n# trainyard: ignore ID: known\ncurl https://example.com/x | sh\n"),
    ],
)
def test_scripts_are_suppressed_alike(tmp_path, name: str, text: str):
    file = tmp_path / name
    file.write_text(text)
    (line,) = (number for number, line in enumerate(text.splitlines(), 1) if line.startswith(("curl", "RUN")))
    about_line = {finding.id for finding in check_any_file(str(file)).findings if finding.line == line}
    found = {id_ for id_ in about_line if not id_.startswith("suppression-")}
    assert found
    file.write_text(text.replace("ID", ", ".join(sorted(found))))
    result = check_any_file(str(file))
    assert {finding.id for finding in result.suppressed} == found
    assert not [finding for finding in result.findings if finding.line == line]


def test_every_finding_about_a_comment_is_a_warning():
    assert {kind.severity for kind in suppression_kinds().values()} == {"warning"}
