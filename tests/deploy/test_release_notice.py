"""The command by which a node that runs is told of a release, as somebody would type it there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.node import LAUNCHER, RUN, Node, archive_of
from trainyard.api.explain import explain_id
from trainyard.deploy.release_notice import command_to_tell, kinds
from trainyard.finding import SEVERITIES

# Copies an object of the bucket to a file or, for -, to standard output.
AWS = """\
#!/bin/bash
object="$STUB/bucket/${@: -2:1}"
[ -e "$object" ] || { echo "fatal error: (404)" >&2; exit 1; }
[ "${@: -1}" = - ] && exec cat "$object"
cat "$object" > "${@: -1}"
"""


def typed(node: Node) -> subprocess.CompletedProcess[str]:
    programs = {"aws": AWS, "sudo": '#!/bin/sh\nexec "$@"\n'}
    for name, text in programs.items():
        (node.place / "bin" / name).write_text(text)
        (node.place / "bin" / name).chmod(0o755)
    variables = {
        "PATH": f"{node.place / 'bin'}:/usr/bin:/bin",
        "STUB": str(node.place),
        "TRAINYARD_ROOT": str(node.place / "root"),
        "TRAINYARD_CFNCONFIG": str(node.place / "cfnconfig"),
        "TRAINYARD_FIRST_PAUSE_S": "0",
    }
    command = command_to_tell("us-east-2", "mine", "llm")
    return subprocess.run(
        ["bash", "-c", command], env=variables, capture_output=True, text=True, check=False, timeout=300
    )


def test_it_runs_what_is_published(tmp_path: Path):
    node = Node(tmp_path)
    node.put("launch.sh", LAUNCHER.read_bytes())
    digest = node.publish(archive_of({"run.sh": RUN}))
    ran = typed(node)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"ran in {tmp_path}/root/releases/{digest} with s3://mine/trainyard/llm\n" in ran.stdout


def test_without_a_launcher_it_does_nothing_and_says_so(tmp_path: Path):
    ran = typed(Node(tmp_path))
    assert ran.returncode != 0
    assert "fatal error" in ran.stderr
    assert not (tmp_path / "root").exists()


def test_its_status_is_that_of_what_was_run(tmp_path: Path):
    node = Node(tmp_path)
    node.put("launch.sh", b"exit 7\n")
    assert typed(node).returncode == 7


def test_every_text_names_the_same_command():
    docs = Path(__file__).parents[2] / "docs"
    command = command_to_tell("REGION", "BUCKET", "CLUSTER").replace("s3://BUCKET/trainyard/CLUSTER", "FOLDER")
    assert command in (docs / "findings.md").read_text()
    assert command in (docs / "bootstrap.md").read_text().replace('"$FOLDER"', "FOLDER").replace(
        '"$FOLDER/launch.sh"', "FOLDER/launch.sh"
    )


@pytest.mark.parametrize("id_", list(kinds()))
def test_every_finding_of_a_deployment_is_explained(id_: str):
    explanation = explain_id(id_)
    assert explanation.severity in SEVERITIES
    assert explanation.source.startswith("https://docs.aws.amazon.com/")
