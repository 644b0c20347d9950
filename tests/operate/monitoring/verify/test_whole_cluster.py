"""`monitor verify` on a whole cluster that real Prometheus scrape: nothing on a good one, and faults by their names."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests import program
from tests.monitoring.whole_cluster import Faults, WholeCluster, whole_cluster
from tests.monitoring.whole_cluster.faults import without
from tests.monitoring.whole_cluster.nodes import SPEC
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
COMMAND = ("monitor", "verify", "--spec", "cluster.yaml")


def verified(cluster: WholeCluster, folder: Path, url: str | None = None) -> dict[str, Any]:
    """Verify it as a user does, from another process."""
    (folder / "cluster.yaml").write_text(SPEC)
    ran = program.run(*COMMAND, "--json", "--prometheus", url or cluster.keeper.url, cwd=folder)
    result: dict[str, Any] = json.loads(ran.out)
    assert ran.status == (0 if result["good"] else 1)
    return result


def told(result: dict[str, Any]) -> set[tuple[str, str]]:
    return {(finding["id"], finding["message"]) for finding in result["findings"]}


def settled(cluster: WholeCluster, folder: Path, *ids: str) -> dict[str, str]:
    """Verify it until it has these findings, and return their messages: what is recorded takes two evaluations."""
    found: dict[str, str] = {}

    def is_settled() -> bool:
        nonlocal found
        found = dict(told(verified(cluster, folder)))
        return set(ids) <= set(found)

    wait_until(is_settled, lambda: found)
    return found


def test_a_good_cluster_has_nothing_wrong_and_says_what_was_looked_at(tmp_path: Path):
    with whole_cluster(tmp_path, faults=[]) as cluster:
        result = wait_until(lambda: {} if (now := verified(cluster, tmp_path))["findings"] else now)
    assert result["good"]
    looked_at = result["looked_at"]
    assert looked_at["targets"] >= 18
    assert looked_at["metrics"] > 150
    assert looked_at["panels"] > 100
    assert looked_at["rules"] > 29


EXPECTED = {
    "closed-port": ("target-down", "dcgm-exporter of queue gpu does not answer: ip-10-0-16-7"),
    "silent-node": ("target-down", "trainyard-node of queue gpu does not answer: ip-10-0-16-7"),
    "wrong-tag": (
        "target-missing",
        "3 of 4 nodes of queue gpu are scraped for node-exporter, dcgm-exporter, trainyard-node",
    ),
    "wrong-port": ("target-port-wrong", "dcgm-exporter is scraped at port 9401, and listens on 9400"),
    "no-slurm": ("target-down", "trainyard-node of the head node does not answer: ip-10-0-16-4"),
    "missing-metric": ("metric-missing", "dcgm-exporter of queue gpu does not export DCGM_FI_DEV_GPU_UTIL"),
}  # fmt: skip


# A cluster of its own for each: a quarter of a minute.
EACH_TIME = ("missing-metric",)


@pytest.mark.parametrize(
    "fault", [one if one in EACH_TIME else pytest.param(one, marks=pytest.mark.exhaustive) for one in EXPECTED]
)
def test_a_fault_is_named(tmp_path: Path, fault: str):
    with whole_cluster(tmp_path, faults=[fault]) as cluster:
        wait_until(lambda: EXPECTED[fault] in told(verified(cluster, tmp_path)))


@pytest.mark.exhaustive
def test_a_renamed_label_is_named_with_the_metrics_that_lack_it(tmp_path: Path):
    with whole_cluster(tmp_path, faults=["renamed-label"]) as cluster:
        found = settled(cluster, tmp_path, "label-missing")
    assert found["label-missing"].startswith("label gpu is missing on DCGM_FI")


def test_samples_that_are_refused_with_403_never_arrive_and_the_head_node_says_so(tmp_path: Path):
    with whole_cluster(tmp_path, faults=["write-403"]) as cluster:
        found = settled(cluster, tmp_path, "no-recent-samples")
        message = f"no sample of p5-cluster has arrived at {cluster.keeper.url} within a day"
        assert found["no-recent-samples"] == message
        head = cluster.prometheus.url
        wait_until(lambda: "remote-write-refused" in dict(told(verified(cluster, tmp_path, head))))


@pytest.mark.exhaustive
def test_credentials_that_ended_and_a_clock_that_is_wrong_are_named(tmp_path: Path):
    ended = f"trainyard_credentials_expire_timestamp_seconds {time.time() - 7200}\n"
    wrong = Faults(
        alter=(
            lambda node, port, text: text + ended if (node.node_type, port) == ("HeadNode", 9100) else text,
            without("node_time_seconds"),
            lambda _node, port, text: text + f"node_time_seconds {time.time() + 90}\n" if port == 9100 else text,
        )
    )
    with whole_cluster(tmp_path, faults=[wrong]) as cluster:
        found = settled(cluster, tmp_path, "credentials-stale", "clock-wrong")
    assert found["credentials-stale"] == "the head node's credentials ended 2 h 0 min ago"
    assert found["clock-wrong"].startswith("clocks differ from the head node's by up to 90 s: ip-10-0-16-4")


def refused(folder: Path, url: str) -> program.Run:
    (folder / "cluster.yaml").write_text(SPEC)
    return program.run(*COMMAND, "--prometheus", url, cwd=folder)


def test_what_is_not_running_at_all_is_one_clear_finding(tmp_path: Path):
    done = refused(tmp_path, "http://127.0.0.1:9")
    assert done.status == 1
    (finding, verdict) = done.out.splitlines()
    assert finding.startswith("error: no Prometheus answers at http://127.0.0.1:9")
    assert finding.endswith("[keeper-unreachable]")
    assert verdict.startswith("p5-cluster in us-east-1, self-hosting: 1 error; looked at nothing")
    assert "Traceback" not in done.err


def test_an_address_that_is_none_is_the_command_lines_fault(tmp_path: Path):
    done = refused(tmp_path, "localhost:9")
    assert (done.status, done.out) == (2, "")
    assert "is not the address of a server" in done.err
