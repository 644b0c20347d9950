"""Which jobs are on this node, where no Slurm tells it: pods of Kubernetes that hold devices, and jobs of AWS Batch.

containerd keeps in a file what it was told of a container, for as long as there is one, under the kubelet as under
Docker. So nobody is asked: no token lies on the node for it, and a node reads as much in a cluster of two nodes as in
one of 1,000.
https://github.com/containerd/containerd/blob/main/core/runtime/v2/bundle.go (read 2026-11-28)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.pod_name import job_of_pod
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.samples import Samples

# containerd's own, and where Docker starts one for itself; below each a folder for the kubelet, and one for Docker.
FOLDERS = ("/run/containerd", "/run/docker/containerd/daemon")
_TASKS = "io.containerd.runtime.v2.task"
# Which devices the kubelet has given to which pods. Of pods that are gone it drops them with the next allocation.
# https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go
KUBELET = "/var/lib/kubelet"
ALLOCATED = f"{KUBELET}/device-plugins/kubelet_internal_checkpoint"
# https://github.com/containerd/containerd/blob/main/internal/cri/annotations/annotations.go
_CRI = "io.kubernetes.cri."
# https://docs.aws.amazon.com/batch/latest/userguide/job_env_vars.html (read 2026-11-28)
_BATCH_ID, _BATCH_QUEUE, _NAME = "AWS_BATCH_JOB_ID", "AWS_BATCH_JQ_NAME", "TRAINYARD_JOB"
_LONGEST_NAME, _LONGEST_ID = 64, 128
# Whatever is younger may be gone before it is scraped twice: as of Slurm's jobs.
_LEAST_AGE_S = 60
MOST_JOBS = 16
"""Of a node: those that have run for longest. No type has more GPUs or Neuron devices."""
# A node has 250 pods of a few containers at most, or a container of Batch for each vCPU.
# https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html#determine-max-pods
_MOST_CONTAINERS = 2048
_MOST_BYTES = 4 << 20


class Job(NamedTuple):
    """A job by its names."""

    id: str
    """On Kubernetes with its namespace. All nodes of a job have the same."""
    name: str
    owner: str
    """Its namespace, or its job queue: neither Kubernetes nor Batch tells a node whose a job is."""
    pod: str = ""
    """The uid of its pod here."""


class JobsCollector:
    """A list of folders, and a file of each container that is new."""

    name = "jobs"
    interval_s = 30.0
    deadline_s = 10.0

    def __init__(self, world: World) -> None:
        """Remember where to read."""
        self._places, self._clock = world.places, world.clock
        self._known: dict[Path, Job | None] = {}

    def collect(self) -> Samples:
        """Read once. Raises NothingHere without containerd, NodeError where it may not be read."""
        folders = [folder for each in FOLDERS if (folder := self._places.at(f"{each}/{_TASKS}")).is_dir()]
        if not folders:
            raise NothingHere(f"no container has run here: {FOLDERS[0]}/{_TASKS} is not there")
        files = list(islice((file for folder in folders for file in _files(folder)), _MOST_CONTAINERS))
        self._known = {
            file: job for file in files for job in ([self._known[file]] if file in self._known else _job(file))
        }
        begun_s = self._begun_s()
        samples = Samples("jobs")
        samples.add("trainyard_jobs_running", len(begun_s))
        until_s = self._clock.now().timestamp() - _LEAST_AGE_S
        named = sorted((at_s, job) for job, at_s in begun_s.items() if at_s <= until_s)[:MOST_JOBS]
        for _, job in named:
            samples.add("trainyard_job_node_info", 1, job.id, job.name, job.owner, job.owner)
        return samples

    def _begun_s(self) -> dict[Job, float]:
        """Return when each job began here."""
        allocated = self._allocated()
        begun_s: dict[Job, float] = {}
        for file, job in self._known.items():
            if job is None or (job.pod and job.pod not in allocated):
                continue
            try:
                at_s = file.stat().st_mtime
            except OSError:
                continue
            same = job._replace(pod="")
            begun_s[same] = min(at_s, begun_s.get(same, at_s))
        return begun_s

    def _allocated(self) -> frozenset[str]:
        """Return the uids of pods that have devices."""
        try:
            entries = json.loads(_read(self._places.at(ALLOCATED)))["Data"]["PodDeviceEntries"] or ()
            return frozenset(entry["PodUID"] for entry in entries)
        except FileNotFoundError:
            return frozenset()
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise NodeError(f"{ALLOCATED} cannot be read: {str(error)[:200]}") from error


def _files(folder: Path) -> Iterator[Path]:
    """Yield what containerd was told of each container. One whose folder begins with a dot is being removed."""
    for namespace in _names(folder):
        for container in _names(folder / namespace):
            if not container.startswith("."):
                yield folder / namespace / container / "config.json"


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise NodeError(f"{folder} cannot be read: the exporter has to run as root") from error


def _job(file: Path) -> list[Job | None]:
    """Return of which job a container is, None where it is of none; nothing while that is being written or removed."""
    try:
        spec = json.loads(_read(file))
    except PermissionError as error:
        raise NodeError(f"{file} cannot be read: the exporter has to run as root") from error
    except (OSError, ValueError, RecursionError):
        return []
    try:
        # What Batch tells a container is believed only where no pod could say the same.
        is_of_pod = f"{_CRI}container-type" in (spec.get("annotations") or {})
        return [_of_pod(spec) if is_of_pod else _of_batch(spec)]
    except (ValueError, TypeError, KeyError, AttributeError):
        return [None]  # nothing that a runtime would start


def _of_pod(spec: Mapping[str, dict[str, str]]) -> Job | None:
    """Return the job of a pod, of the container that holds its namespaces: it is there from the first to the last."""
    annotations = spec.get("annotations") or {}
    if annotations.get(f"{_CRI}container-type") != "sandbox":
        return None
    namespace, pod = annotations[f"{_CRI}sandbox-namespace"], annotations[f"{_CRI}sandbox-name"]
    name = job_of_pod(pod, str(spec.get("hostname", "")))
    return Job(f"{namespace}/{name}", name, namespace, annotations[f"{_CRI}sandbox-uid"])


def _of_batch(spec: Mapping[str, dict[str, list[str]]]) -> Job | None:
    pairs = (variable.partition("=") for variable in spec["process"]["env"])
    variables = {name: value for name, _, value in pairs if name in {_BATCH_ID, _BATCH_QUEUE, _NAME}}
    if not variables.get(_BATCH_ID):
        return None
    # Each node of a multi-node job has its number behind that: https://docs.aws.amazon.com/batch/latest/userguide/mnp-env-vars.html
    id_ = variables[_BATCH_ID].partition("#")[0]
    queue = variables.get(_BATCH_QUEUE, "")[:_LONGEST_ID]
    return Job(id_[:_LONGEST_ID], variables.get(_NAME, "")[:_LONGEST_NAME], queue)


def _read(file: Path) -> bytes:
    with file.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_BYTES} bytes")
    return content
