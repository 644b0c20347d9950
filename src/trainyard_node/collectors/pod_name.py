"""The name of the job that a pod is of, by what controllers add to it: a node knows no owners of pods."""

from __future__ import annotations

import re

# Kubernetes adds five of these signs, which have no vowels, to the names of a Job's pods.
# https://github.com/kubernetes/apimachinery/blob/master/pkg/util/rand/rand.go (read 2026-11-28)
_RANDOM = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}$")
# Of an Indexed Job the pod is JOB-INDEX-RANDOM and its host JOB-INDEX; of all others, the host is called like the pod.
# https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode (read 2026-11-28)
_INDEX = re.compile(r"-[0-9]+$")
# JOB-worker-3 of Kubeflow's operators, and JOB-launcher-RANDOM of its MPIJobs.
# https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/core/utils.go (read 2026-11-28)
_ROLE = re.compile(r"(?<=.)-(?:(?:master|worker|chief|ps|evaluator)-[0-9]+|launcher)$")
_LAUNCHER = re.compile(r"(?<=.)-launcher$")
# A JobSet of `trainyard run` has one Indexed Job, JOB-worker-0, whose pods are JOB-worker-0-3-RANDOM. Whatever is
# called so otherwise is taken for one; any other Indexed Job keeps its name, also where that is of such a form.
_OF_RUN = re.compile(r"(?<=.)-worker-0$")


def job_of_pod(pod: str, host: str) -> str:
    """Return its name. ``host`` is what the pod calls its host: its node's where it has the network of its node."""
    job = _RANDOM.sub("", pod)
    if job == host != pod:
        return _OF_RUN.sub("", _INDEX.sub("", job))
    return (_ROLE if job == pod else _LAUNCHER).sub("", job)
