"""Bandwidth tests in an environment: none, as it has no nodes."""

from __future__ import annotations

from typing import NoReturn

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import InputError
from trainyard.render.bench.job import BenchJob
from trainyard.spec.cluster import Spec


def has_mpi(spec: Spec) -> bool:  # noqa: ARG001  as of every platform
    """Return that there is nothing to start programs on."""
    return False


def job(job: BenchJob, spec: Spec) -> NoReturn:  # noqa: ARG001  as of every platform
    """Raise InputError."""
    raise _no_nodes(spec)


def scheduler(spec: Spec, account: Account, *, ssh: str | None, keep: bool, kubectl: KubectlOf) -> NoReturn:  # noqa: ARG001  as of every platform
    """Raise InputError."""
    raise _no_nodes(spec)


def _no_nodes(spec: Spec) -> InputError:
    hint = "name the spec of a cluster"
    return InputError("an environment has no nodes to measure", where=spec.name, hint=hint)
