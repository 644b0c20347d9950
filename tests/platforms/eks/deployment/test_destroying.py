"""A cluster of EKS goes with all that eksctl has made; its jobs first, and never one that is not ours."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.platforms.eks.deployment.cluster import BUCKET, NAME
from trainyard.deploy.deployment import destroy, jobs_to_end
from trainyard.deploy.engine import undo_all
from trainyard.deploy.record import read_record
from trainyard.deploy.work import Options
from trainyard.edge.aws.nodes import kubernetes_instances
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.cluster import EksClusterStep
from trainyard.platforms.eks.deployment.deletion import jobs_in_cluster, refuse_undeletable
from trainyard.platforms.eks.deployment.steps import EksLaunchTemplates

JOB: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v2beta1",
    "kind": "MPIJob",
    "metadata": {"name": "nccl", "namespace": "default"},
    "spec": {},
}
VOLUME: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pvc-1", "annotations": {"pv.kubernetes.io/provisioned-by": "ebs.csi.aws.com"}},
    "spec": {
        "claimRef": {"namespace": "jobs", "name": "scratch"},
        "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-0123456789abcdef0"},
    },
}
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "scratch", "namespace": "jobs"},
    "spec": {},
}
DELETE = f"eksctl delete cluster --name={NAME} --region=us-east-2 --wait --timeout=60m --disable-nodegroup-eviction"


@pytest.fixture
def cluster(deploying):
    deploying.deploy()
    deploying.programs.calls.clear()
    deploying.events.clear()
    return deploying


def clusters(deploying) -> list[str]:
    return list(deploying.account.client("eks").list_clusters()["clusters"])


def test_jobs_end_before_the_cluster_does(cluster, programs):
    programs.api.add(dict(JOB))
    result, work = cluster.destroy()
    assert result.error is None
    assert programs.api.deleted == [JOB]
    assert "ends MPIJob default/nccl" in cluster.told()
    assert programs.said("eksctl") == [f"{DELETE} --color=false"]
    assert (clusters(cluster), cluster.stacks(), work.kept) == ([], [], [])


def pod(name: str, phase: str = "Running", owner: str | None = None, **devices: str) -> dict[str, Any]:
    owners = {"ownerReferences": [{"kind": owner, "name": "x"}]} if owner else {}
    requests = {"requests": {key.replace("__", "/").replace("_", "."): value for key, value in devices.items()}}
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": name, **owners},
        "spec": {"containers": [{"name": "main", "resources": requests}]}, "status": {"phase": phase},
    }  # fmt: skip


def test_jobs_and_pods_that_have_devices_end_only_with_consent(cluster, programs):
    programs.api.add(
        dict(JOB), pod("web"), pod("own", nvidia_com__gpu="8"), pod("over", "Succeeded", nvidia_com__gpu="8"),
        pod("waits", "Pending", vpc_amazonaws_com__efa="4"), pod("of-job", owner="MPIJob", nvidia_com__gpu="8"),
    )  # fmt: skip
    assert jobs_to_end(cluster.work()).jobs == ("MPIJob default/nccl", "pod default/own", "pod default/waits")
    with pytest.raises(TrainyardError, match="ends jobs: MPIJob default/nccl; pod default/own; pod default/waits"):
        destroy(cluster.work())
    assert (programs.api.deleted, clusters(cluster)) == ([], [NAME])


def test_a_job_set_is_one_job_with_its_jobs_and_pods(cluster, programs):
    programs.api.kinds.add("jobsets")
    job_set = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}
    of_job_set = {"ownerReferences": [{"kind": "JobSet", "name": "llm"}]}
    over = {"conditions": [{"type": "Completed", "status": "True"}]}
    programs.api.add(
        {**job_set, "metadata": {"namespace": "default", "name": "llm"}, "spec": {}},
        {**job_set, "metadata": {"namespace": "default", "name": "former"}, "spec": {}, "status": over},
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "default", "name": "llm-worker-0"}
         | of_job_set, "spec": {}},
        pod("llm-worker-0-0-abcde", owner="Job", nvidia_com__gpu="8"),
    )  # fmt: skip
    assert jobs_to_end(cluster.work()).jobs == ("JobSet default/llm",)


def test_an_api_that_does_not_answer_is_no_consent_where_nodes_run(cluster, programs):
    programs.api.refuses = "Unable to connect to the server: dial tcp 203.0.113.9:443: i/o timeout"
    assert "i/o timeout" in jobs_to_end(cluster.work()).unknown
    scaling = cluster.account.client("autoscaling")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        name = group["AutoScalingGroupName"]
        scaling.update_auto_scaling_group(AutoScalingGroupName=name, MinSize=0, DesiredCapacity=0)
    assert not kubernetes_instances(cluster.account, NAME)
    assert not jobs_to_end(cluster.work())


def test_a_second_destruction_has_nothing_to_do(cluster, programs):
    cluster.destroy()
    programs.calls.clear()
    result, _ = cluster.destroy()
    assert (result.status, result.detail) == ("unchanged", "there is none")
    assert programs.calls == []


def test_the_context_goes_with_the_cluster_and_no_other_does(cluster):
    written = yaml.safe_load(cluster.kubeconfig.read_text())
    other = {"name": "other", "context": {"cluster": "other", "user": "other"}}
    written["contexts"].append(other)
    cluster.kubeconfig.write_text(yaml.safe_dump(written))
    cluster.destroy()
    left = yaml.safe_load(cluster.kubeconfig.read_text())
    assert (left["contexts"], left["clusters"], left["users"]) == ([other], [], [])


def test_an_api_server_that_does_not_answer_holds_nothing_up(cluster, programs):
    programs.api.refuses = "Unable to connect to the server: dial tcp 203.0.113.9:443: i/o timeout"
    result, _ = cluster.destroy()
    assert result.error is None
    assert programs.said("eksctl") == [f"{DELETE} --force --color=false"]
    assert any("goes on without ending jobs" in told for told in cluster.told())
    assert cluster.stacks() == []


def test_volumes_that_a_driver_has_made_are_named_because_they_stay(cluster, programs):
    programs.api.add(dict(VOLUME), dict(CLAIM))
    _, work = cluster.destroy()
    assert work.kept == ["volume vol-0123456789abcdef0 of jobs/scratch, which a driver in the cluster has made"]
    assert programs.api.deleted == []


def test_their_claims_go_where_data_is_to_go(cluster, programs):
    programs.api.add(dict(VOLUME), dict(CLAIM))
    _, work = cluster.destroy(Options(delete_data=True))
    assert (programs.api.deleted, work.kept) == ([CLAIM], [])


@pytest.mark.parametrize("made", range(8))
def test_a_cluster_that_was_half_made_goes_as_well(deploying, programs, made):
    programs.eksctl.dies_after = made
    deploying.deploy()
    programs.eksctl.dies_after = None
    result, _ = deploying.destroy()
    assert result.error is None
    assert (clusters(deploying), deploying.stacks()) == ([], [])


@pytest.mark.parametrize("made", range(4))
def test_a_destruction_that_was_killed_is_gone_on_with(cluster, programs, made):
    programs.eksctl.dies_after = len(programs.eksctl.parts) + made
    first, _ = cluster.destroy()
    programs.eksctl.dies_after = None
    assert first.error is not None
    result, _ = cluster.destroy()
    assert result.error is None
    assert (clusters(cluster), cluster.stacks()) == ([], [])


# Where the answer to a deletion is lost, eksctl's own second try finds nothing to delete, and eksctl ends.
LOST = "ResourceNotFoundException: No cluster found for name: llm-eks."


@pytest.mark.parametrize("lost", [1, 2])
def test_a_lost_answer_to_a_deletion_is_asked_for_again(cluster, programs, lost):
    programs.eksctl.refusals = [LOST] * lost
    result, _ = cluster.destroy()
    assert result.error is None
    assert len([call for call in programs.said("eksctl") if " delete cluster " in call]) == lost + 1
    assert (clusters(cluster), cluster.stacks()) == ([], [])


@pytest.mark.parametrize(("reason", "calls"), [(LOST, 3), ("AccessDenied: not you", 1)])
def test_what_eksctl_refuses_again_or_for_another_reason_is_an_error(cluster, programs, reason, calls):
    programs.eksctl.refusals = [reason] * 9
    result, _ = cluster.destroy()
    assert result.error is not None
    assert reason in result.error.problem
    assert len([call for call in programs.said("eksctl") if " delete cluster " in call]) == calls


def test_without_eksctl_no_job_is_ended(cluster, programs):
    programs.api.add(dict(JOB))
    programs.remove("eksctl")
    result, work = cluster.destroy()
    assert "there is no program eksctl here" in str(result.error)
    with pytest.raises(TrainyardError, match="there is no program eksctl here"):
        refuse_undeletable(work)
    assert programs.api.deleted == []


def test_where_no_cluster_is_ours_eksctl_is_not_missed(deploying, programs):
    programs.remove("eksctl")
    refuse_undeletable(deploying.work())
    assert programs.calls == []


def test_a_destruction_of_somebody_elses_cluster_is_refused_before_anything_is_remembered(cluster):
    cluster.disown()
    before = read_record(cluster.account, BUCKET, NAME)
    with pytest.raises(TrainyardError, match="was not made for llm"):
        destroy(cluster.work())
    assert read_record(cluster.account, BUCKET, NAME) == before


def test_stacks_without_a_cluster_need_no_eksctl(deploying, programs):
    deploying.make_stack_alone()
    programs.remove("eksctl")
    result, _ = deploying.destroy()
    assert result.error is None
    assert deploying.stacks() == []


@pytest.mark.parametrize("other", ["llm-2", "ll"])
def test_clusters_whose_names_begin_alike_stay(cluster, other):
    topic = '{"Resources": {"Made": {"Type": "AWS::SNS::Topic"}}}'
    name = f"eksctl-{other}-cluster"
    tags = [{"Key": "trainyard:cluster", "Value": other}]
    cluster.account.client("cloudformation").create_stack(StackName=name, TemplateBody=topic, Tags=tags)
    cluster.destroy()
    assert cluster.stacks() == [name]


def test_a_cluster_without_our_tag_is_never_deleted(cluster, programs):
    cluster.disown()
    result, _ = cluster.destroy()
    assert result.error is not None
    assert "was not made for llm" in result.error.problem
    assert programs.calls == []
    assert clusters(cluster) == [NAME]


@pytest.mark.parametrize("name", [f"eksctl-{NAME}-cluster", f"{NAME}-nodes"])
def test_a_stack_of_somebody_else_is_never_deleted_and_stops_nothing(deploying, programs, name):
    topic = '{"Resources": {"Made": {"Type": "AWS::SNS::Topic"}}}'
    deploying.account.client("cloudformation").create_stack(StackName=name, TemplateBody=topic)
    work = deploying.work()
    results = undo_all([EksLaunchTemplates(), EksClusterStep()], work)
    assert [result.status for result in results] == ["unchanged", "unchanged"]
    assert f"stack {name} is of somebody else" in [result.detail for result in results]
    assert (programs.calls, deploying.stacks()) == ([], [name])


def test_the_jobs_that_would_end_are_known_beforehand(cluster, programs):
    done = {**JOB, "metadata": {"name": "done", "namespace": "default"}}
    done["status"] = {"conditions": [{"type": "Succeeded", "status": "True"}]}
    programs.api.add(dict(JOB), done)
    assert jobs_in_cluster(cluster.work()).jobs == ("MPIJob default/nccl",)
    programs.api.refuses = "Unable to connect to the server: dial tcp: i/o timeout"
    assert jobs_in_cluster(cluster.work()).unknown.startswith("the Kubernetes API of llm cannot be reached")


def test_where_there_is_no_cluster_nothing_is_asked_of_kubernetes(deploying, programs):
    assert not jobs_in_cluster(deploying.work())
    assert programs.calls == []
