"""Rehearsals that fail on purpose are diagnosed, by their archives and by the clusters that are left."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.account_copies import seeded_account, told
from tests.rehearsal.test_breakdowns import CAUSES
from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from trainyard.cli import main
from trainyard.deploy.deployment import deploy, work_for
from trainyard.deploy.work import Event
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.archive import ArchiveFile, write_archive
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.enable_socket
# As little as ParallelCluster can be asked for: most of the time is its own.
SMALL = """\
name: {name}
region: us-east-2
platform: parallelcluster
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.large, custom_actions: {{after_setup: [{{script: "s3://scripts/setup.sh"}}]}}}}
queues: [{{name: cpu, instance_type: m5.large, nodes: 1}}]
software: {{setup: none, containers: false}}
monitoring: {{mode: none}}
"""
SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
head_node: {instance_type: m5.large}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 1}]
software: {setup: gpu}
monitoring: {mode: none}
"""
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]\n"
RESERVED = "capacity: {reservation: cr-0123456789abcdef0}"
STATES = {"well": None, "headless": "action-forbidden", "fleetless": "no-route"}
FAILED = ["headless", pytest.param("fleetless", marks=pytest.mark.exhaustive)]


class Clusters:
    """An account in which a cluster in each state is deployed once a test wants it, with its archive."""

    def __init__(self, account: Account, folder: Path) -> None:
        self.account = account
        self._folder = folder
        self.is_ok = cache(lambda name: deployed(account, name, folder))

    def archive(self, name: str) -> str:
        self.is_ok(name)
        return str(self._folder / f"{name}.tar.gz")


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters]:
    with seeded_account(SMALL.format(name="well")) as account:
        yield Clusters(account, tmp_path_factory.mktemp("archives"))


def deployed(account: Account, name: str, folder: Path) -> bool:
    told(account, "faults", {"breakdown": STATES[name]})
    text = SMALL.format(name=name)
    events: list[Event] = []
    work = work_for(parse(text, "").spec, account, events.append)
    work.parallelcluster = partial(warm_parallelcluster, account)
    done = deploy(work, text)
    write_archive(work, events, ArchiveFile(folder / f"{name}.tar.gz"))
    return done.ok


def run(account: Account | None, *words: str, code: int = 0) -> str:
    """Run a command in this process and return what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as changed, redirect_stdout(out), redirect_stderr(err):
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            changed.delenv(name)
        for name, value in (account.variables() if account else {}).items():
            changed.setenv(name, value)
        changed.setattr(sys, "argv", ["trainyard", *words])
        try:
            status: int | str | None = main()
        except SystemExit as stop:
            status = stop.code
    assert status == code, out.getvalue() + err.getvalue()
    return out.getvalue()


def program(*words: str, code: int) -> str:
    """Run a command as a process without an account, and return all that it prints."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    command = [sys.executable, "-m", "trainyard", *words]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def causes(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["causes"]
    return found


def here(clusters: Clusters, command: str, name: str, *more: str, code: int = 0) -> str:
    clusters.is_ok(name)
    return run(clusters.account, command, name, "--region", "us-east-2", *more, code=code)


@pytest.mark.integration
@pytest.mark.parametrize("name", FAILED)
def test_the_archive_of_a_failed_deployment_is_diagnosed(name: str, clusters: Clusters):
    assert not clusters.is_ok(name)
    found = causes(run(None, "diagnose", clusters.archive(name), "--json", code=1))
    assert [one["cause"] for one in found][:1] == [CAUSES[str(STATES[name])]]
    assert all(f"{name}-logs-" in line["file"] for line in found[0]["evidence"])
    assert found[0]["consequences"]


@pytest.mark.integration
def test_the_archive_of_a_deployment_that_went_well_has_nothing_to_diagnose(clusters: Clusters):
    assert clusters.is_ok("well")
    assert causes(run(None, "diagnose", clusters.archive("well"), "--json")) == []


@pytest.mark.integration
@pytest.mark.parametrize("name", FAILED)
def test_a_cluster_that_failed_is_diagnosed_by_its_name(name: str, clusters: Clusters):
    found = causes(here(clusters, "diagnose", name, "--json", code=1))
    assert [one["cause"] for one in found][:1] == [CAUSES[str(STATES[name])]]


@pytest.mark.integration
def test_a_cluster_that_is_well_has_nothing_to_diagnose(clusters: Clusters):
    assert causes(here(clusters, "diagnose", "well", "--json")) == []


@pytest.mark.integration
@pytest.mark.parametrize("name", ["well", *FAILED])
def test_the_status_says_whether_it_is_up_and_if_not_why(name: str, clusters: Clusters):
    found = json.loads(here(clusters, "status", name, "--json", code=int(STATES[name] is not None)))
    assert found["up"] == (STATES[name] is None)
    said = json.dumps(found)
    assert ("Failed to download OnNodeConfigured script" in said) == (name == "headless")
    assert ("PROTECTED" in said) == (name == "fleetless")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "log", "said"),
    [
        ("well", "slurmd", "slurmd version"),
        ("headless", "cfn-init", "when calling the HeadObject operation: Forbidden"),
        pytest.param("fleetless", "clustermgtd", "Setting cluster into protected mode", marks=pytest.mark.exhaustive),
    ],
)
def test_the_logs_have_what_the_nodes_wrote(name: str, log: str, said: str, clusters: Clusters):
    assert said in here(clusters, "logs", name, "--log", log, "--grep", said)


@pytest.mark.integration
@pytest.mark.parametrize("name", ["well", *FAILED])
def test_there_is_a_way_to_the_head_node_whatever_became_of_the_fleet(name: str, clusters: Clusters):
    assert f"Host {name}" in here(clusters, "connect", name, "--print-ssh-config")


@pytest.mark.integration
@pytest.mark.parametrize(("name", "code"), [("well", 0), pytest.param("fleetless", 2, marks=pytest.mark.exhaustive)])
def test_a_compute_node_is_reached_only_where_one_is_left(name: str, code: int, clusters: Clusters):
    out = here(clusters, "connect", name, "--node", "cpu-st-m5-large-1", "--dry-run", code=code)
    assert ("start-session" in out) == (code == 0)


@pytest.mark.exhaustive
@pytest.mark.integration
def test_a_rehearsal_that_fails_before_the_cluster_is_diagnosed_end_to_end(tmp_path: Path):
    is_diagnosed("file-system-refused", tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("breakdown", CAUSES)
def test_a_rehearsal_that_fails_on_purpose_is_diagnosed_end_to_end(breakdown: str, tmp_path: Path):
    is_diagnosed(breakdown, tmp_path)


def is_diagnosed(breakdown: str, folder: Path) -> None:
    spec, archive = folder / "cluster.yaml", str(folder / "logs.tar.gz")
    capacity = f", {RESERVED}" if breakdown == "reservation-ended" else ""
    spec.write_text((SPEC + LUSTRE).replace("nodes: 1", f"nodes: 1{capacity}"))
    places = ("--archive", archive, "--output", str(folder / "report"))
    said = program("rehearse", str(spec), "--break", breakdown, *places, code=1)
    assert said.endswith(f"next: trainyard diagnose {archive}\n")
    found = causes(run(None, "diagnose", archive, "--json", code=1))
    assert [one["cause"] for one in found][:1] == [CAUSES[breakdown]]
    assert all("llm-logs-" in line["file"] for line in found[0]["evidence"])
