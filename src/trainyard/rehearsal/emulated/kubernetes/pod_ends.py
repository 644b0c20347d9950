"""Pods that end: what the kubelet starts again in place, and what the training operator does about the others.

What becomes of a JobSet, job_sets.py knows.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/controller.v1/common/job.go, pod.go beside it, and
pytorchjob_controller.go in pkg/controller.v1/pytorch
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import RefusalError, cluster_of, now
from trainyard.rehearsal.emulated.kubernetes.controller_pods import DEFAULT_POLICY
from trainyard.rehearsal.emulated.kubernetes.job_sets import job_set_of, reconcile
from trainyard.rehearsal.emulated.kubernetes.objects import JobEnd, Objects, PodEnd
from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, cluster_view
from trainyard.rehearsal.emulated.resource import Aws

# The system's own, such as a SIGKILL: https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/util/train/train_util.go
_FIRST_RETRYABLE = 128
_STARTED_AGAIN = ("Always", "OnFailure")


def end_pod(aws: Aws, state: Mapping[str, Any]) -> None:
    """End the first container of a pod: {"cluster": …, "pod": …, "exitCode": …}; with "reason", the pod itself.

    The reason is one of the kubelet's or the API server's, such as Evicted. Raises the service's error without the pod.
    """
    look = cluster_view(aws, cluster_of(aws, state["cluster"]))
    namespace = state.get("namespace", "default")
    names = (pod for pod in look.pods if pod["metadata"].get("namespace") == namespace)
    pod = next((pod for pod in names if pod["metadata"]["name"] == state["pod"]), None)
    if pod is None or pod["status"]["phase"] != "Running":
        raise RefusalError("NotFound", f"no pod {state['pod']} runs")
    code, policy = int(state.get("exitCode", 137)), pod["spec"].get("restartPolicy", "Always")
    uid = pod["metadata"]["uid"]
    end = PodEnd(code, state.get("reason", ""), f"{now():%Y-%m-%dT%H:%M:%SZ}")
    if not end.reason and (policy == "Always" or (policy == "OnFailure" and code)):
        look.objects.container_ends.setdefault(uid, []).append(end)
    else:
        look.objects.pod_ends[uid] = end
    if (job_set := job_set_of(look.objects, pod)) is not None:
        pods = [other for other in look.pods if job_set_of(look.objects, other) is job_set]
        reconcile(look.objects, job_set, pods, pod, end)
        return
    owner = next((job for job in look.objects.of("pytorchjobs.kubeflow.org") if pod in look.of(job)), None)
    if owner is not None:
        _reconcile(look, owner, pod, end)


def _reconcile(look: ClusterView, job: Mapping[str, Any], pod: Mapping[str, Any], end: PodEnd) -> None:
    """Do what the operator does once a pod of a PyTorchJob has ended, or its container has started again."""
    objects, uid, name = look.objects, job["metadata"]["uid"], job["metadata"]["name"]
    pods = look.of(job)
    restarts = sum(
        len(objects.container_ends.get(other["metadata"]["uid"], ()))
        for other in pods
        if other["metadata"]["uid"] not in objects.pod_ends
    )
    limit = job["spec"].get("runPolicy", {}).get("backoffLimit")
    if limit is not None and restarts >= max(limit, 1):
        message = f"Job {name} has failed because it has reached the specified backoff limit"
        objects.job_ends[uid] = JobEnd("Failed", message, end.at, ())
    elif pod["metadata"]["uid"] in objects.pod_ends:
        _replace_or_end(objects, job, pod, end, pods)


def _replace_or_end(
    objects: Objects, job: Mapping[str, Any], pod: Mapping[str, Any], end: PodEnd, pods: list[dict[str, Any]]
) -> None:
    roles = job["spec"]["pytorchReplicaSpecs"]
    name, uid = job["metadata"]["name"], job["metadata"]["uid"]
    role = next(role for role in roles if pod["metadata"]["name"].startswith(f"{name}-{role.lower()}-"))
    policy = roles[role].get("restartPolicy", DEFAULT_POLICY)
    ended = [other for other in pods if other["metadata"]["uid"] in objects.pod_ends]
    if end.has_failed and (policy in _STARTED_AGAIN or (policy == "ExitCode" and end.code >= _FIRST_RETRYABLE)):
        del objects.pod_ends[pod["metadata"]["uid"]]
        objects.replace_pod(f"{uid}-{pod['metadata']['name']}", end.at)
        message = f"PyTorchJob {name} is restarting because 1 {role} replica(s) failed."
        objects.restarting[uid] = (message, end.at)
    elif end.has_failed:
        message = f"PyTorchJob {name} is failed because 1 {role} replica(s) failed."
        objects.job_ends[uid] = JobEnd("Failed", message, end.at, _left(job, pods, ended))
    elif len(ended) == len(pods) or "elasticPolicy" in job["spec"]:
        message = f"PyTorchJob {job['metadata']['namespace']}/{name} successfully completed."
        objects.job_ends[uid] = JobEnd("Succeeded", message, end.at, _left(job, pods, ended))


def _left(job: Mapping[str, Any], pods: list[dict[str, Any]], ended: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the names of the pods that stay when a job is over, by its cleanPodPolicy."""
    policy = job["spec"].get("runPolicy", {}).get("cleanPodPolicy", "None")
    stay = {"All": [], "Running": ended}.get(policy, pods)
    return tuple(pod["metadata"]["name"] for pod in stay)
