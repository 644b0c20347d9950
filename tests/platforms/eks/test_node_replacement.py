"""A bad node of Amazon EKS is replaced in an emulated account: pods are not lost, and what is unproven stays held."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.rehearsal.account_copies import copied, empty_account
from tests.rehearsal.eks_clusters import GPU_TAINT, group, made
from tests.rehearsal.faulty_proxy import ExpiringSession, served
from trainyard.edge.aws import auto_scaling, s3
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.replacement import ReplacementRequest, replace_node
from trainyard.operate.nodes.replacement_record import ReplacementRecord, replacements
from trainyard.platforms.eks.node_replacement import HOLD, EksReplacement
from trainyard.platforms.eks.rehearsal.emulated_kubectl import (
    EmulatedKubectl,
    emulated_kubectl_of,
    retried_kubectl_of,
)
from trainyard.platforms.eks.rendering.manifests import documents, native
from trainyard.rehearsal.rehearsal import QuickClock

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

BUCKET = "trainyard-evidence"
CALLS = 400
"""More than a replacement takes."""
GPUS = group("gpu", "g4dn.8xlarge", 2, labels={"trainyard/queue": "gpu"}, taints=[GPU_TAINT])
PLUGIN = documents(native("nvidia-device-plugin.yaml").replace("p5.48xlarge", "g4dn.8xlarge"))
TRAINING = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "default"},
    "spec": {
        "template": {
            "spec": {"containers": [{"name": "t", "image": "nccl", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
        }
    },
}
SERVER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [{"name": "web", "image": "alpine"}],
                "nodeSelector": {"trainyard/queue": "gpu"},
                "tolerations": [{"operator": "Exists"}],
            },
        },
    },
}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}


class KilledError(BaseException):
    """The call ends, as by SIGKILL."""


@dataclass
class Cluster:
    account: Account
    name: str
    told: list[str] = field(default_factory=list)
    dies_after: str = ""
    timeout_s: float = 60
    listener: Callable[[str], None] = lambda _: None

    def replace(self, node: str, **options: Any) -> ReplacementRecord:
        request = ReplacementRequest(
            self.account, BUCKET, self.name, node, "Xid 79",
            reports=False, tell=self.tell, timeout_s=self.timeout_s, **options,
        )  # fmt: skip
        return replace_node(request, EksReplacement(request))

    def tell(self, text: str) -> None:
        self.told.append(text)
        self.listener(text)
        if self.dies_after and self.dies_after in text:
            self.dies_after = ""
            raise KilledError

    def nodes(self) -> dict[str, dict[str, Any]]:
        with emulated_kubectl_of(self.account, self.name) as kubectl:
            found = kubectl.get("nodes", selector="trainyard/queue=gpu")
        return {node["metadata"]["name"]: node for node in found}

    def place_of(self, pod: str) -> str:
        with self.kubectl() as kubectl:
            pods = kubectl.get("pods", namespace="default")
        return next(str(one["spec"].get("nodeName")) for one in pods if one["metadata"]["name"].startswith(pod))

    def kubectl(self) -> Any:
        return emulated_kubectl_of(self.account, self.name)

    def instance(self, node: str) -> str:
        return str(self.nodes()[node]["metadata"]["uid"])

    def stage(self) -> str:
        return [stored.record.stage for stored in replacements(self.account, BUCKET, self.name)][-1]


@pytest.fixture(scope="module")
def original() -> Iterator[Cluster]:
    with empty_account() as account:
        s3.make_bucket(account, BUCKET)
        name = made(account, GPUS)
        with emulated_kubectl_of(account, name) as kubectl:
            kubectl.apply([*PLUGIN, TRAINING])
        yield Cluster(account, name)


@pytest.fixture
def cluster(original: Cluster) -> Iterator[Cluster]:
    with copied(original.account) as account:
        yield Cluster(replace(account, clock=QuickClock(), kubectl=retried_kubectl_of), original.name)


def test_a_node_is_held_drained_ended_and_its_successor_proven(cluster: Cluster):
    busy = cluster.place_of("train")
    (free,) = cluster.nodes().keys() - {busy}
    gone = cluster.instance(free)
    done = cluster.replace(free)
    assert (done.stage, done.instance_id) == ("done", gone)
    after = cluster.nodes()
    assert {node["metadata"]["uid"] for node in after.values()} == {cluster.instance(busy), done.new_instance_id}
    assert not any(node["spec"].get("unschedulable") for node in after.values())
    stored = s3.get(cluster.account, BUCKET, done.evidence)
    assert stored is not None
    evidence = json.loads(stored.content)
    assert evidence["kubernetes"]["metadata"]["annotations"][HOLD] == "Xid 79"
    assert evidence["kubernetes"]["spec"]["unschedulable"] is True
    assert evidence["instance"][0]["InstanceId"] == gone
    with pytest.raises(InputError, match="or its instance is gone already"):
        cluster.replace(gone)


def test_a_pod_with_devices_goes_on_until_somebody_lets_it_end(cluster: Cluster):
    busy = cluster.place_of("train")
    gone = cluster.instance(busy)
    with pytest.raises(TrainyardError, match=r"has jobs: pod default/train-.* of Job"):
        cluster.replace(gone, wait_for_jobs_s=60)
    assert (cluster.place_of("train"), cluster.stage()) == (busy, "held")
    assert cluster.nodes()[busy]["spec"]["unschedulable"] is True
    assert cluster.replace(gone, end_jobs=True).stage == "done"
    assert cluster.place_of("train") != busy


def test_a_disruption_budget_holds_the_node_up_until_it_allows_an_eviction(cluster: Cluster):
    with cluster.kubectl() as kubectl:
        kubectl.delete([TRAINING])
        kubectl.apply([SERVER, BUDGET])
    node, cluster.timeout_s = cluster.place_of("web"), 1
    with pytest.raises(TrainyardError, match=r"in 1 s, .* cannot be drained: .*disruption budget"):
        cluster.replace(node)
    assert (cluster.place_of("web"), cluster.stage()) == (node, "draining")
    with cluster.kubectl() as kubectl:
        kubectl.delete([BUDGET])
    cluster.timeout_s = 60
    assert cluster.replace(node).stage == "done"
    assert cluster.place_of("web") != node


def test_a_call_that_is_killed_at_any_stage_is_gone_on_with(cluster: Cluster):
    for stage in ("is cordoned", "evidence lies", "launches another", "takes the place"):
        busy = cluster.place_of("train")
        (free,) = cluster.nodes().keys() - {busy}
        gone, cluster.dies_after = cluster.instance(free), stage
        with pytest.raises(KilledError):
            cluster.replace(free)
        done = cluster.replace(free)
        assert (done.stage, done.instance_id) == ("done", gone), stage
        assert len(cluster.nodes()) == 2, stage
        assert not any(node["spec"].get("unschedulable") for node in cluster.nodes().values()), stage


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_credentials_that_expire_at_any_moment_stop_it_and_others_go_on(cluster: Cluster, every: int):
    (free,) = cluster.nodes().keys() - {cluster.place_of("train")}
    gone = cluster.instance(free)
    stopped = told_held = 0
    for calls in range(0, CALLS, every):
        with copied(cluster.account) as account:
            again = Cluster(replace(account, clock=QuickClock(), kubectl=retried_kubectl_of), cluster.name)
            with ExpiringSession(account.endpoint or "", calls) as session, served(session) as endpoint:
                problem = problem_of(Cluster(replace(again.account, endpoint=endpoint), cluster.name), free)
            assert bool(problem) == session.is_over, calls
            if not session.is_over:
                break
            assert "expired" in problem, problem
            assert "run the same command again" in problem, problem
            kept = evidence_of(again)
            if is_told_held := "stays held from jobs" in problem:
                assert gone not in free_instances(again), calls
            done = again.replace(gone)
            assert (done.stage, done.instance_id) == ("done", gone), calls
            assert kept in ([], evidence_of(again)), calls
            assert free_instances(again) == {cluster.instance(cluster.place_of("train")), done.new_instance_id}, calls
            stopped, told_held = stopped + 1, told_held + is_told_held
    assert not session.is_over, "there are more calls than were tried"
    assert min(stopped, told_held) * every > 30


def problem_of(cluster: Cluster, node: str) -> str:
    """Return why a node is not replaced; empty where it is."""
    try:
        cluster.replace(node)
    except TrainyardError as error:
        return f"{error.problem}; {error.hint}"
    return ""


def evidence_of(cluster: Cluster) -> list[Any]:
    """Return the evidence that replacements have, as their records say."""
    records = [stored.record for stored in replacements(cluster.account, BUCKET, cluster.name)]
    return [s3.get(cluster.account, BUCKET, record.evidence) for record in records if record.evidence]


def free_instances(cluster: Cluster) -> set[str]:
    """Return the instances that pods may come to."""
    return {node["metadata"]["uid"] for node in cluster.nodes().values() if not node["spec"].get("unschedulable")}


def test_two_nodes_of_one_group_that_are_replaced_at_once_get_a_successor_each(cluster: Cluster):
    with cluster.kubectl() as kubectl:
        kubectl.delete([TRAINING])
    first, second = sorted(cluster.nodes())
    other = Cluster(cluster.account, cluster.name)
    others: list[ReplacementRecord] = []

    def meanwhile(text: str) -> None:
        if "takes the place" in text and not others:
            others.append(other.replace(second))

    cluster.listener = meanwhile
    done = cluster.replace(first)
    assert [done.stage, others[0].stage] == ["done", "done"]
    assert {done.new_instance_id, others[0].new_instance_id} == {cluster.instance(name) for name in cluster.nodes()}


def test_a_successor_that_a_killed_call_has_claimed_is_no_other_nodes(cluster: Cluster):
    with cluster.kubectl() as kubectl:
        kubectl.delete([TRAINING])
    first, second = sorted(cluster.nodes())
    killed = Cluster(cluster.account, cluster.name, dies_after="takes the place")
    gone = cluster.instance(first)
    with pytest.raises(KilledError):
        killed.replace(first)  # before it has written down what it claimed
    done = cluster.replace(second)
    assert cluster.replace(gone).new_instance_id != done.new_instance_id
    assert len(cluster.nodes()) == 2


def test_an_instance_that_goes_by_itself_while_it_is_replaced_has_one_successor(cluster: Cluster):
    (free,) = cluster.nodes().keys() - {cluster.place_of("train")}
    gone = cluster.instance(free)

    def end(text: str) -> None:
        if "evidence lies" in text:
            auto_scaling.end_instance(cluster.account, gone)

    cluster.listener = end
    assert cluster.replace(free).stage == "done"
    assert len(cluster.nodes()) == 2
    assert gone not in {cluster.instance(name) for name in cluster.nodes()}


def test_a_successor_without_its_devices_stays_held(cluster: Cluster):
    (free,) = cluster.nodes().keys() - {cluster.place_of("train")}
    with cluster.kubectl() as kubectl:
        kubectl.delete([one for one in PLUGIN if one["kind"] == "DaemonSet"])
    cluster.timeout_s = 2
    with pytest.raises(TrainyardError, match=r"offers 0 nvidia.com/gpu, not 1"):
        cluster.replace(free)
    assert cluster.stage() == "proving"
    assert [bool(node["spec"].get("unschedulable")) for node in cluster.nodes().values()].count(True) == 1
    with cluster.kubectl() as kubectl:
        kubectl.apply(PLUGIN)
    cluster.timeout_s = 60
    assert cluster.replace(free).stage == "done"


def test_other_names_and_instances_of_others_are_refused(cluster: Cluster):
    for other in ("gpu-1", "i-0123456789abcdef0", ""):
        with pytest.raises(InputError, match="has no node"):
            cluster.replace(other)


def test_a_node_that_is_not_there_is_not_made_by_what_would_hold_it(cluster: Cluster):
    with cluster.kubectl() as kubectl:
        node = next(iter(kubectl.get("nodes")))
        assert isinstance(kubectl, EmulatedKubectl)
        for change in ({"uid": "other"}, {"name": "gone", "uid": "other"}):
            metadata = {"name": node["metadata"]["name"], **change}
            with pytest.raises(TrainyardError, match=r"Conflict|NotFound"):
                kubectl.apply([{"apiVersion": "v1", "kind": "Node", "metadata": metadata}])
