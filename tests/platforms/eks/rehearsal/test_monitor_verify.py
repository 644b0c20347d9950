"""`monitor verify` of a cluster of Amazon EKS in an account, scraped by a real Prometheus as its agent does."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.monitoring.prometheus import Prometheus
from tests.monitoring.whole_cluster.eks import SPEC, eks_cluster
from tests.rehearsal.eks_clusters import eksctl_of
from tests.rehearsal.test_monitor_verify import LaterClock, confirm
from tests.waiting import wait_until
from trainyard.api.monitor_verify import Verification, verify_monitoring
from trainyard.bundle.asset_lock import lock_text
from trainyard.deploy.deployment import deploy, work_for
from trainyard.deploy.work import Options
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import kubernetes_instances, node_group_of
from trainyard.platforms.eks.rehearsal.emulated_kubectl import emulated_kubectl_of
from trainyard.rehearsal.emulated.emulated_account import emulated_account
from trainyard.rehearsal.emulated.seeds import seeds_of
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket, pytest.mark.exhaustive]
NAME = "eks-p5"
# The architectures of EKS name two zones, and an alert that nobody hears is a finding.
TEXT = SPEC.replace(
    "availability_zone: us-east-1a", "availability_zone: us-east-1a, secondary_availability_zone: us-east-1b"
).replace("mode: amp-only", "mode: amp-only, alert_email: ml@example.com")


@contextmanager
def deployed() -> Iterator[Account]:
    """Deploy it into an emulated account, as a rehearsal does."""
    spec = parse(TEXT, "cluster.yaml").spec
    with ExitStack() as running:
        emulated = running.enter_context(emulated_account(spec.region, seeds=seeds_of(spec)))
        account = replace(emulated, clock=LaterClock())
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        lock = stand_in_lock(spec)
        place_stand_ins(lock, folder)
        work = work_for(spec, account, options=Options(kubeconfig=folder / "kubeconfig"))
        work.eksctl, work.kubectl = eksctl_of, emulated_kubectl_of
        work.assets_lock, work.asset_cache = lock_text(lock).encode(), AssetCache(folder)
        done = deploy(work, TEXT)
        assert [result.error for result in done.results if result.error] == []
        yield account


def node_ids(account: Account) -> list[str]:
    return [one["InstanceId"] for one in kubernetes_instances(account, NAME) if node_group_of(one) == "gpu"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Account, Prometheus]]:
    """Return the account, and who keeps the metrics of the nodes that run in it."""
    with (
        deployed() as account,
        eks_cluster(tmp_path_factory.mktemp("eks"), node_ids(account)) as (keeper, _),
    ):
        confirm(account)
        yield account, keeper


def verified(measured: tuple[Account, Prometheus]) -> Verification:
    account, keeper = measured
    return verify_monitoring(NAME, account, prometheus=keeper.url)


def test_nothing_is_wrong_with_a_good_cluster(measured: tuple[Account, Prometheus]):
    wait_until(lambda: not verified(measured).findings, lambda: verified(measured).findings)
    found = verified(measured)
    assert {"targets", "metrics", "panels", "rules", "instances", "workspaces", "subscriptions"} <= set(found.looked_at)
    assert (found.looked_at["instances"], found.looked_at["targets"]) == (4, 13)


def test_an_agent_that_lost_its_role_is_named(measured: tuple[Account, Prometheus]):
    eks = measured[0].client("eks")
    (one,) = [
        association
        for association in eks.list_pod_identity_associations(clusterName=NAME)["associations"]
        if association["serviceAccount"] == "prometheus-agent"
    ]
    eks.delete_pod_identity_association(clusterName=NAME, associationId=one["associationId"])
    assert [finding.id for finding in verified(measured).findings] == ["remote-write-not-allowed"]
