"""What the real ParallelCluster says of configs once it has validated them, in an account that has all they need."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from moto.iam.aws_managed_policies import aws_managed_policies_data

from tests.oracle.instance_types import described
from trainyard.edge.pcluster import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trainyard.edge.pcluster import ClusterConfig, PclusterEnvironment

_REPOSITORY = Path(__file__).parents[2]
_TIMEOUT_S = 120
_TIMEOUT_S_PER_CONFIG = 5


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """What one validator found. What the schema refuses comes from the validator ConfigSchemaValidator."""

    level: Literal["ERROR", "WARNING", "INFO"]
    validator: str
    message: str


def validate_configs(
    configs: Sequence[ClusterConfig], *, version: str, zones: Mapping[str, str] | None = None
) -> list[tuple[Failure, ...]]:
    """Load and validate each config, all in one process, and return what is found, errors first.

    ``zones`` maps ids of subnets to the letter of their availability zone, in whichever region they are; a subnet that
    it lacks is in zone a.
    """
    texts = [config.text for config in configs]
    request = {
        "configs": [asdict(config) for config in configs],
        "zones": dict(zones or {}),
        "instance_types": described(texts),
        "managed_policies": _managed_policies(texts),
    }
    answer = _ask(environment(version, print), request)
    return [tuple(sorted((Failure(*found) for found in one), key=_worst_first)) for one in answer]


def errors(failures: Iterable[Failure]) -> list[Failure]:
    """Return the failures for which ``pcluster create-cluster`` stops."""
    return [failure for failure in failures if failure.level == "ERROR"]


def _ask(made: PclusterEnvironment, request: dict[str, Any]) -> list[list[list[Any]]]:
    done = subprocess.run(
        [made.python, "-s", "-X", "utf8", "-m", "tests.oracle.validation_worker"],
        cwd=_REPOSITORY,
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        timeout=_TIMEOUT_S + _TIMEOUT_S_PER_CONFIG * len(request["configs"]),
        env=_variables(made),
        check=False,
    )
    assert not done.returncode, done.stderr
    answer: list[list[list[Any]]] = json.loads(done.stdout)
    return answer


def _variables(made: PclusterEnvironment) -> dict[str, str]:
    """Return an environment with nobody's settings; messages that list a set are the same in every run."""
    nothing = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "BOTO_CONFIG": "/dev/null"}
    return {**nothing, "AWS_EC2_METADATA_DISABLED": "true", "HOME": str(made.folder), "PYTHONHASHSEED": "0"}


def _managed_policies(texts: Sequence[str]) -> list[str]:
    """Return those policies of AWS that these configs may ask about, by what follows ``arn:aws:iam::``."""
    return [arn for arn in _every_managed_policy() if any(arn in text for text in texts)]


@cache
def _every_managed_policy() -> list[str]:
    policies = json.loads(aws_managed_policies_data)
    return [f"aws:policy{facts['Path']}{name}" for name, facts in policies.items()]


def _worst_first(failure: Failure) -> tuple[int, Failure]:
    return ["ERROR", "WARNING", "INFO"].index(failure.level), failure
