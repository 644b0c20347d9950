"""A cluster of ParallelCluster that exists is updated, also by whoever goes on after a kill or a lost answer."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace

import pytest

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.faulty_proxy import faulty_proxy
from tests.rehearsal.kill_points import kill_points
from tests.rehearsal.whole import SPEC, deployed
from tests.rehearsal.whole_account import whole_account
from trainyard.api.nodes import refresh_cluster_nodes
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.parallelcluster import cluster_config, fleet_status
from trainyard.operate.status.status_query import status
from trainyard.platforms.parallelcluster.head_node import head_node
from trainyard.platforms.parallelcluster.status.cluster_status import ParallelClusterStatus

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
UPLOAD = re.compile(r"S3 objects: s3://parallelcluster-.*/assets/")
# A file system that a stack makes before, a queue that comes, and a setting for which the fleet is stopped.
EDITED = (
    SPEC.replace(
        "file_systems:", "  - {name: cpu, instance_type: m5.large, nodes: {min: 1, max: 3}}\nfile_systems:"
    ).replace("software:", "  - {mount: /more, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}\nsoftware:")
    + "parallelcluster: {slurm: {scaledown_idle_minutes: 33}}\n"
)


def check_updated(account: Account) -> None:
    config = cluster_config(account, "llm")
    assert config is not None
    assert config["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 33
    assert [queue["Name"] for queue in config["Scheduling"]["SlurmQueues"]] == ["compute-gpu", "cpu"]
    assert [entry["MountDir"] for entry in config["SharedStorage"]] == ["/fsx", "/more"]
    status = fleet_status(account, "llm")
    assert status is not None
    assert status.status == "RUNNING"
    running = Counter(
        node.queue for node in nodes(account, "llm") if node.role == "Compute" and node.state == "running"
    )
    assert running == {"compute-gpu": 2, "cpu": 1}


@pytest.mark.exhaustive
def test_a_lost_answer_to_an_update_is_no_second_one():
    with (
        deployed_account(SPEC) as account,
        faulty_proxy(account.endpoint or "", lost="UpdateStack") as (endpoint, faults),
    ):
        made = deployed(replace(account, endpoint=endpoint), EDITED)
        assert [result.error.problem for result in made.results if result.error] == []
        assert faults["reset after"] == 1
        check_updated(account)
        again = deployed(account, EDITED)
        assert {result.status for result in again.results} == {"unchanged"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("call", ["UpdateItem", "UpdateStack"])
def test_who_is_killed_in_the_middle_of_an_update_goes_on(call: str):
    seen = itertools.count()

    def is_chosen(number: int, name: str) -> bool:
        del number
        return name == call and next(seen) < 2

    with deployed_account(SPEC) as before, kill_points(before, EDITED, is_chosen) as (account, points):
        assert deployed(account, EDITED).ok
        expected = without_uploads(whole_account(before))
        assert points
        for point in points:
            done = deployed(point.account, EDITED)
            assert [result.error.problem for result in done.results if result.error] == [], point.call
            check_updated(point.account)
            assert without_uploads(whole_account(point.account)) == expected


def without_uploads(account: Counter[str]) -> dict[str, int]:
    """Return a whole account without what ParallelCluster uploads anew at each update and removes with the cluster."""
    return {thing: count for thing, count in account.items() if not UPLOAD.search(thing)}


@pytest.mark.exhaustive
def test_nodes_that_a_smaller_cluster_has_no_place_for_end():
    fewer = SPEC.replace("nodes: 2", "nodes: 1")
    with deployed_account(SPEC) as account:
        done = deployed(account, fewer)
        assert done.ok
        update = done.review.cluster
        assert update is not None
        assert (update.need, update.running.jobs, update.running.unknown) == ("terminate", (), "")
        assert len([node for node in nodes(account, "llm") if node.role == "Compute" and node.state == "running"]) == 1
        again = deployed(account, fewer)
        assert {result.status for result in again.results} == {"unchanged"}


def test_status_has_the_nodes_and_jobs_of_an_emulated_slurm():
    with deployed_account(SPEC) as account:
        assert head_node("llm", account).run(("sbatch", "--partition=compute-gpu", "--wrap=sleep 60")).status == 0
        found = status("llm", account)
        assert isinstance(found.platform, ParallelClusterStatus)
        assert found.platform.slurm is not None
        states = {node.name: node.state for node in found.platform.slurm.nodes}
        assert states == {f"compute-gpu-st-p5-48xlarge-{at}": state for at, state in ((1, "allocated"), (2, "idle"))}
        assert found.idle is not None
        assert [(line.instance_type, line.instances) for line in found.idle.lines] == [("p5.48xlarge", 1)]
        refreshed = refresh_cluster_nodes("llm", account)
        assert (refreshed.started_anew, len(refreshed.busy) + len(refreshed.unknown) + refreshed.current) == ((), 2)
