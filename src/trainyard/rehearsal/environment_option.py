"""Whether the spec of an environment that is rehearsed with a cluster is the one that the cluster is in."""

from __future__ import annotations

from trainyard.errors import InputError
from trainyard.spec.cluster import Spec

_OPTION = "--environment"


def refuse_missing_environment(spec: Spec, file: str) -> None:
    """Raise InputError for a cluster in an environment: an emulated account has none of its own."""
    if spec.environment is not None:
        raise InputError(
            f"{file} is in environment {spec.environment}, which has to be rehearsed with it",
            where="environment",
            hint=f"add {_OPTION} FILE, where FILE is the spec of {spec.environment}",
        )


def refuse_other_environment(spec: Spec, around: Spec, file: str) -> None:
    """Raise InputError where ``around``, as ``file`` has it, is not the environment of the cluster."""
    if spec.environment is None:
        what = "an environment" if spec.is_environment else "a cluster in no environment"
        raise InputError(f"{spec.name} is {what}", where=_OPTION, hint=f"leave {_OPTION} out")
    if not around.is_environment:
        hint = f"name the spec of {spec.environment}, which has kind: environment"
        raise InputError(f"{file} describes the cluster {around.name}", where=_OPTION, hint=hint)
    if (around.name, around.region) != (spec.environment, spec.region):
        raise InputError(
            f"{file} describes environment {around.name} in {around.region}, and {spec.name} is in "
            f"{spec.environment} in {spec.region}",
            where=_OPTION,
            hint=f"name the spec of {spec.environment}",
        )
