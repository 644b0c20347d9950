"""MPIJobs whose mpirun starts more processes than its workers have slots."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.workload import Container, containers, whole_number

_PROCESSES = re.compile(r"(?:^|\s)--?(?:np|n|c)\s+(\d{1,6})(?:\s|$)")
_MPIRUN = re.compile(r"\b(?:mpirun|mpiexec)\b(.*)", re.DOTALL)
# With these mpirun counts hosts or slots otherwise.
_OTHER_COUNT = re.compile(r"oversubscribe|\s(?:-H|-{1,2}host|-{1,2}hostfile|-{1,2}machinefile)\s", re.IGNORECASE)


def check(document: Document) -> Iterator[Problem]:
    """Yield launchers of Open MPI with such a number of processes."""
    for container in containers(document):
        owner = container.pod.owner
        spec = mapping_in(owner.written, "spec")
        if owner.kind != "MPIJob" or spec.get("mpiImplementation", "OpenMPI") != "OpenMPI":
            continue
        workers = _replicas(container, "Worker")
        slots = whole_number(spec.get("slotsPerWorker", 1))
        command = _MPIRUN.search(" ".join(container.words))
        processes = _PROCESSES.search(command[1]) if command else None
        if workers is None or slots is None or processes is None or (command and _OTHER_COUNT.search(command[1])):
            continue
        workers += spec.get("runLauncherAsWorker") is True
        if int(processes[1]) > workers * slots:
            message = f"mpirun starts {processes[1]} processes, and {owner.name} has {workers} workers of {slots} slots"
            yield Problem((*container.path, "args" if "args" in container.written else "command"), message)


def _replicas(container: Container, role: str) -> int | None:
    replicas = mapping_in(mapping_in(container.pod.owner.written, "spec"), "mpiReplicaSpecs")
    return whole_number(mapping_in(replicas, role).get("replicas"))


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="More MPI processes than slots",
    rationale=(
        "The operator writes a host file with slotsPerWorker slots for each worker, one where nothing is written. "
        "Where that is too few, Open MPI starts nothing: “There are not enough slots available in the system”. "
        "An image can be set up to oversubscribe."
    ),
    remedy="make -np equal to the workers times slotsPerWorker",
    source="https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/mpi/",
    bad="""\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
spec:
  slotsPerWorker: 8
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
            - {name: mpi, image: "registry.example.com/nccl:1.0", command: [mpirun, -np, "32", all_reduce_perf]}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/nccl:1.0"}]}}
""",
    good="""\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
spec:
  slotsPerWorker: 8
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
            - {name: mpi, image: "registry.example.com/nccl:1.0", command: [mpirun, -np, "16", all_reduce_perf]}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/nccl:1.0"}]}}
""",
    check=check,
)
