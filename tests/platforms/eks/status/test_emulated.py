"""What is said of an EKS cluster that eksctl's own calls have made in an emulated account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rehearsal.eks_clusters import GPU_TAINT, deleted, group, made
from trainyard.api.diagnose import diagnose_cluster
from trainyard.api.logs import logs_of
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.operate.connect.kubeconfig import write_kubeconfig
from trainyard.operate.connect.target_search import find_target
from trainyard.operate.status.status_query import status
from trainyard.platforms.eks.logs.pod_logs import PodLogs
from trainyard.platforms.eks.rehearsal.emulated_kubectl import emulated_kubectl_of
from trainyard.platforms.eks.status.status_query import EksPlatformStatus

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

GPUS = group("gpu", "g4dn.8xlarge", 2, labels={"trainyard/queue": "gpu"}, taints=[GPU_TAINT])


@pytest.fixture(scope="module")
def cluster(account: Account) -> Iterator[str]:
    name = made(account, GPUS)
    yield name
    deleted(account, name)


def test_its_node_groups_nodes_and_stacks_are_told(account: Account, cluster: str):
    found = status(cluster, account, kubectl=emulated_kubectl_of)
    assert found.problem is None
    assert isinstance(found.platform, EksPlatformStatus)
    eks = found.platform.eks
    assert eks.control_plane is not None
    assert (eks.control_plane.status, eks.control_plane.version) == ("ACTIVE", "1.35")
    assert [(one.name, one.wanted, one.states, one.ready) for one in eks.node_groups] == [
        ("gpu", 2, {"running": 2}, 2),
        ("system", 1, {"running": 1}, 1),
    ]
    assert {stack.name for stack in found.stacks} >= {f"eksctl-{cluster}-cluster", f"eksctl-{cluster}-nodegroup-gpu"}
    assert found.unknown == {}
    # Nobody has installed the device plugin.
    assert any("no GPU device plugin is installed" in concern.what for concern in found.concerns)


def test_a_node_that_is_gone_is_missed(account: Account, cluster: str):
    victim = find_target(account, cluster, "gpu")
    account.client("ec2").terminate_instances(InstanceIds=[victim.instance])
    found = status(cluster, account, kubectl=emulated_kubectl_of)
    assert victim.instance not in [node.id for node in found.nodes if node.state == "running"]


def test_there_is_a_way_to_a_node_and_to_the_api(account: Account, cluster: str, tmp_path: Path):
    assert find_target(account, cluster, "system").words.startswith("the node i-")
    done = write_kubeconfig(account, cluster, tmp_path / "config")
    assert done.added
    assert done.context.endswith(f":cluster/{cluster}")


def test_what_has_no_device_plugin_is_found_by_comparing(account: Account, cluster: str):
    found = diagnose_cluster(cluster, account, kubectl=emulated_kubectl_of)
    assert "k8s-node-lacks-devices" in [cause.cause.id for cause in found.causes]


def test_pods_are_listed_and_those_that_are_not_there_are_an_error(account: Account, cluster: str):
    found = logs_of(cluster, account, pods=("*",), kubectl=emulated_kubectl_of)
    assert isinstance(found, PodLogs)
    assert found.streams
    with pytest.raises(TrainyardError, match="there is no pod 'nobody'"):
        logs_of(cluster, account, pods=("nobody",), kubectl=emulated_kubectl_of)
