"""Runs of tests in a cluster of Kubernetes: MPIJobs that carry our labels, and their pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import NoSuchKindError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import JOB_NAME, has_begun, role_of
from trainyard.render.bench.mpi_job import NAMESPACE, RUN, SUBMISSION, TEST

_MPI_JOBS = "mpijobs.kubeflow.org"
_OPERATOR = "mpi-operator"


def runs_of_submission(kubectl: Kubectl, token: str) -> list[dict[str, Any]]:
    """Return the runs of a submission, the oldest first, without those that are being deleted."""
    runs = kubectl.get(_MPI_JOBS, namespace=NAMESPACE, selector=f"{SUBMISSION}={token}")
    return sorted((run for run in runs if test_of(run) and number_of(run) and not _is_leaving(run)), key=creation_time)


def run_numbered(kubectl: Kubectl, number: str) -> dict[str, Any] | None:
    """Return a run, None where there is none, or it is being deleted."""
    runs = kubectl.get(_MPI_JOBS, namespace=NAMESPACE, selector=f"{RUN}={number}")
    return next((run for run in runs if not _is_leaving(run)), None)


def pods_of(kubectl: Kubectl, run: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the launcher and the workers of a run, as far as there are any."""
    return [] if run is None else kubectl.get("pods", namespace=NAMESPACE, selector=label_of_pods(run))


def label_of_pods(run: Mapping[str, Any]) -> str:
    """Return the label by which the pods of a run are found."""
    return f"{JOB_NAME}={run['metadata']['name']}"


def speaker(pods: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the launcher, the newest if there are several; where there was none, a worker that has ended badly."""
    begun = [pod for pod in pods if has_begun(pod)]
    launchers = sorted((pod for pod in begun if role_of(pod) == "launcher"), key=creation_time)
    failed = [pod for pod in begun if role_of(pod) == "worker" and pod["status"].get("phase") == "Failed"]
    return next(iter((*reversed(launchers), *failed)), None)


def last_complaint(kubectl: Kubectl, run: Mapping[str, Any]) -> str | None:
    """Return the last warning about a run or its pods, None where Kubernetes has none or has forgotten it."""
    name = run["metadata"]["name"]
    events = [event for event in kubectl.get("events", namespace=NAMESPACE) if _warns_of(event, name)]
    last = max(events, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""), default=None)
    return None if last is None else reason_and_message(str(last.get("reason")), str(last.get("message")))


def refuse_without_operator(kubectl: Kubectl, cluster: str) -> None:
    """Raise TrainyardError where MPIJobs are unknown, or nobody makes anything of them."""
    kubectl.get(_MPI_JOBS, namespace=NAMESPACE)
    for deployment in kubectl.get("deployments.apps"):
        if deployment["metadata"]["name"] == _OPERATOR and not (deployment.get("status") or {}).get("readyReplicas"):
            raise _without_operator(cluster, "has an MPI operator, and none of its pods is ready")


def operator_missing(cluster: str, error: NoSuchKindError) -> TrainyardError:
    """Return the error of a cluster that does not know MPIJobs, from what kubectl says."""
    return _without_operator(cluster, f"has no MPI operator: {error.problem}")


def test_of(run: Mapping[str, Any]) -> str:
    """Return which test of the plan a run is of."""
    return str((run["metadata"].get("annotations") or {}).get(TEST) or "")


def number_of(run: Mapping[str, Any]) -> str:
    """Return the number of a run."""
    return str((run["metadata"].get("labels") or {}).get(RUN) or "")


def creation_time(run: Mapping[str, Any]) -> str:
    """Return when something was made."""
    return str(run["metadata"].get("creationTimestamp") or "")


def _is_leaving(run: Mapping[str, Any]) -> bool:
    return "deletionTimestamp" in run["metadata"]


def _without_operator(cluster: str, what: str) -> TrainyardError:
    hint = (
        "bandwidth tests are MPIJobs: `kubectl -n mpi-operator get pods` shows the operator; with mpi-operator in "
        "eks.operators of the spec, `trainyard deploy` installs it"
    )
    return TrainyardError(f"{cluster} {what}", where="eks.operators", hint=hint)


def _warns_of(event: Mapping[str, Any], name: str) -> bool:
    concerned = str((event.get("involvedObject") or {}).get("name") or "")
    return event.get("type") == "Warning" and (concerned == name or concerned.startswith(f"{name}-"))
