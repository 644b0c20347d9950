"""A cluster of Amazon EKS that goes: its jobs first, then what would outlive it, then all that eksctl has made.

eksctl deletes the load balancers of Services, and EKS drains the nodes of managed node groups before they end.
https://docs.aws.amazon.com/eks/latest/userguide/delete-cluster.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.counts import count_text
from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.work import Work
from trainyard.edge.aws.eks import EksCluster, find_cluster
from trainyard.edge.aws.leftover_network import delete_leftover_interfaces
from trainyard.edge.aws.nodes import kubernetes_instances
from trainyard.edge.aws.stacks import find_stack
from trainyard.edge.eksctl import Eksctl, EksctlRefusedError
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import ForbiddenError, NoSuchKindError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks import EKS
from trainyard.platforms.eks.deployment.stacks import delete_own_stack, own_cluster, own_stacks, settled_stack
from trainyard.platforms.eks.job_sets import JOB_SETS
from trainyard.platforms.eks.pod_devices import has_devices

# Their operators end the pods, so they have to go before the nodes on which these operators run.
JOBS = ("mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org", JOB_SETS, "jobs.batch")
_JOB_KINDS = ("MPIJob", "PyTorchJob", "JobSet", "Job")
_MOST_TOLD = 10
_GONE = "ResourceNotFoundException"


def delete_eks_cluster(work: Work, cluster: EksCluster | None) -> None:
    """Delete a cluster whose stacks nobody works on, also one that was never finished or does not answer."""
    eksctl = None if cluster is None else work.eksctl(work.account)  # nothing is ended where there is none
    for stack in own_stacks(work):
        settled_stack(work, stack.name)
    if cluster is not None and eksctl is not None:
        answers = bool(cluster.endpoint) and _empty(work)
        _by_eksctl(work, eksctl, answers=answers)
    # What eksctl does not see, such as the stacks of a cluster that was never made.
    for stack in reversed(own_stacks(work)):
        delete_own_stack(work, stack.name)
    if deleted := delete_leftover_interfaces(work.account, work.name):
        work.tell(f"{deleted} network interfaces of pods deleted, which their nodes had left")


def jobs_in_cluster(work: Work) -> RunningJobs:
    """Return the jobs that destroying the cluster would end, and pods with devices that belong to none of them.

    There are none where it is not one of EKS. Where no instance of it runs and its API does not answer, nothing runs,
    and nobody has to be asked.
    """
    cluster = find_cluster(work.account, work.name) if _has_own_stack(work) else None
    if cluster is None or not cluster.endpoint or not work.owns(cluster.tags):
        return RunningJobs()
    try:
        with work.kubectl(work.account, work.name) as kubectl:
            jobs = [job for kind in JOBS for job in _listed(kubectl, kind) if not _over(job) and not _is_of_job(job)]
            pods = [pod for pod in _listed(kubectl, "pods") if has_devices(pod) and not _is_of_job(pod)]
    except TrainyardError as error:
        has_nodes = any(kubernetes_instances(work.account, work.name))
        return RunningJobs(unknown=error.problem) if has_nodes else RunningJobs()
    return RunningJobs((*(f"{job['kind']} {_named(job)}" for job in jobs), *(f"pod {_named(pod)}" for pod in pods)))


def _is_of_job(document: Mapping[str, Any]) -> bool:
    """Return whether a pod, or a Job, was made for a job."""
    owners = document["metadata"].get("ownerReferences") or ()
    return any(owner.get("kind") in _JOB_KINDS for owner in owners)


def refuse_undeletable(work: Work) -> None:
    """Raise TrainyardError where a cluster is not ours, or no eksctl is here to delete it; before anything is touched.

    Where eksctl has made no stack of the name, it is no cluster of EKS, or nobody's business.
    """
    if _has_own_stack(work) and own_cluster(work) is not None:
        work.eksctl(work.account)


def _has_own_stack(work: Work) -> bool:
    stack = find_stack(work.account, EKS.cluster_stack(work.name))
    return stack is not None and work.owns(stack.tags)


def _by_eksctl(work: Work, eksctl: Eksctl, *, answers: bool) -> None:
    """Let eksctl delete it. Where nothing answers, it cannot look at load balancers, and is told to go on."""
    for is_last in (False, False, True):
        try:
            eksctl.delete_cluster(work.name, work.account.region, work.relay, evict=False, force=not answers)
        except EksctlRefusedError as error:
            if any(stack.status == "DELETE_FAILED" for stack in own_stacks(work)):
                work.tell("eksctl could not delete everything; the stacks that it left are deleted now")
                return
            # Where the answer to a deletion is lost, eksctl's own second try finds nothing, and eksctl ends.
            if is_last or not any(_GONE in line for line in error.output):
                raise
        else:
            return


def _empty(work: Work) -> bool:
    """End the jobs, and look at what would outlive the cluster; return whether the API server answers."""
    try:
        with work.kubectl(work.account, work.name) as kubectl:
            _end_jobs(work, kubectl)
            _claims(work, kubectl)
    except (UnreachableError, ForbiddenError) as error:
        work.tell(f"goes on without ending jobs: {error.problem}")
        return False
    return True


def _end_jobs(work: Work, kubectl: Kubectl) -> None:
    for kind in JOBS:
        jobs = _listed(kubectl, kind)
        for job in jobs[:_MOST_TOLD]:
            work.tell(f"ends {job['kind']} {_named(job)}")
        if len(jobs) > _MOST_TOLD:
            work.tell(f"ends {len(jobs) - _MOST_TOLD} more of {kind}")
        if jobs:
            kubectl.delete(jobs)


def _listed(kubectl: Kubectl, kind: str) -> list[dict[str, Any]]:
    try:
        return kubectl.get(kind)
    except NoSuchKindError:
        return []


def _over(job: Mapping[str, Any]) -> bool:
    conditions = job.get("status", {}).get("conditions") or ()
    return any(
        condition.get("type") in ("Succeeded", "Failed", "Complete", "Completed") and condition.get("status") == "True"
        for condition in conditions
    )


def _claims(work: Work, kubectl: Kubectl) -> None:
    """Delete the claims whose volumes a driver has made, where data goes too; otherwise name what stays.

    Without its driver nobody deletes such a volume, and it costs money.
    """
    volumes = [
        persistentvolume for persistentvolume in kubectl.get("persistentvolumes") if _made_by_driver(persistentvolume)
    ]
    if not work.options.delete_data:
        work.kept.extend(_volume(volume) for volume in volumes)
        return
    names = {(volume["spec"]["claimRef"]["namespace"], volume["spec"]["claimRef"]["name"]) for volume in volumes}
    claims = [
        persistentvolumeclaim
        for persistentvolumeclaim in kubectl.get("persistentvolumeclaims")
        if _key(persistentvolumeclaim) in names
    ]
    if claims:
        work.tell(f"deletes {count_text(len(claims), 'claim')} with the volumes that were made for them")
        kubectl.delete(claims)


def _made_by_driver(volume: Mapping[str, Any]) -> bool:
    annotations = volume["metadata"].get("annotations") or {}
    return "pv.kubernetes.io/provisioned-by" in annotations and "claimRef" in volume["spec"]


def _volume(volume: Mapping[str, Any]) -> str:
    claim, csi = volume["spec"]["claimRef"], volume["spec"].get("csi") or {}
    what = csi.get("volumeHandle") or volume["metadata"]["name"]
    return f"volume {what} of {claim['namespace']}/{claim['name']}, which a driver in the cluster has made"


def _key(document: Mapping[str, Any]) -> tuple[str, str]:
    return document["metadata"].get("namespace", "default"), document["metadata"]["name"]


def _named(document: Mapping[str, Any]) -> str:
    return "/".join(_key(document))
