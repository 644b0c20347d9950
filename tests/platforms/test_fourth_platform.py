"""A fourth platform goes through check, render, plan, rehearse, status and destroy without a change of shared code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.platforms.smallest import SMALLEST
from tests.rehearsal.account_copies import empty_account
from trainyard.api.check import check_files
from trainyard.api.deploy import destroy_cluster
from trainyard.api.plan import plan_file
from trainyard.api.rehearse import rehearse_file
from trainyard.api.render import render_file
from trainyard.api.status import cluster_status
from trainyard.checking.spec_file import check_text
from trainyard.cli.status_output import status_values
from trainyard.deploy.deployment import deploy, work_for
from trainyard.platform_table import PLATFORMS
from trainyard.spec.parsing import parse

SPEC = """\
name: small
region: us-east-2
platform: smallest
network: {availability_zone: us-east-2a}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2}]
software: {setup: none}
"""


@pytest.fixture(autouse=True)
def fourth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLATFORMS, SMALLEST.name, SMALLEST)


@pytest.fixture
def file(tmp_path: Path) -> str:
    written = tmp_path / "cluster.yaml"
    written.write_text(SPEC)
    return str(written)


def test_without_an_entry_its_name_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(PLATFORMS, SMALLEST.name)
    (finding,) = check_text(SPEC, "cluster.yaml").findings
    assert "parallelcluster, batch, eks" in finding.message.replace(" or ", ", ")


def test_its_spec_is_checked_and_a_key_that_it_lacks_is_found(file: str):
    (checked,) = check_files([file])
    assert [finding.id for finding in checked.findings if finding.severity == "error"] == []
    wrong = f"{SPEC}head_node: {{instance_type: m5.large}}\n"
    assert "key-not-for-platform" in {finding.id for finding in check_text(wrong, "cluster.yaml").findings}


def test_its_bundle_holds_its_stack_and_what_its_readme_says(file: str, tmp_path: Path):
    render_file(file, folder=tmp_path / "bundle")
    names = {written.name for written in (tmp_path / "bundle").iterdir()}
    assert {"network.yaml", "topic.yaml", "topic.parameters.json", "README.md", "architecture.svg"} <= names
    assert not names & {"cluster.yaml", "batch.yaml", "manifests", "assets"}
    text = (tmp_path / "bundle" / "README.md").read_text()
    assert "on Smallest in us-east-2" in text
    assert "## 2. Nothing else" in text


def test_its_plan_has_its_steps(file: str):
    _, planned = plan_file(file)
    assert planned is not None
    assert [step.name for step in planned.steps][-1] == "topic"


@pytest.mark.integration
@pytest.mark.enable_socket
def test_it_is_rehearsed_and_leaves_nothing(file: str):
    _, result = rehearse_file(file)
    assert result is not None
    assert (result["ok"], result["inventory"]["left"]) == (True, [])
    assert "topic" in [step["name"] for step in result["steps"]]


@pytest.mark.integration
@pytest.mark.enable_socket
def test_its_cluster_has_a_status_and_is_destroyed(file: str):
    spec = parse(Path(file).read_text(), file).spec
    with empty_account() as account:
        done = deploy(work_for(spec, account), SPEC)
        assert done.ok
        status = cluster_status("small", account)
        assert status.up
        assert [stack.name for stack in status.stacks][-1] == "small-topic"
        assert status.platform is not None
        assert list(status.platform.lines(status)) == ["a topic"]
        assert status_values(status)["up"] is True
        assert destroy_cluster("small", account).ok
        assert account.client("sns").list_topics()["Topics"] == []
