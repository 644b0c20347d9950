"""The real ParallelCluster, asked what it thinks of configs. Nothing of its schema is known here."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trainyard.edge.foreground import NotStartedError
from trainyard.edge.pcluster_answers import ClassifiedChange, classified_change
from trainyard.edge.pcluster_environment import PclusterEnvironment, environment, known_versions
from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError

__all__ = [
    "ClusterConfig",
    "Complaint",
    "PclusterEnvironment",
    "classify_update",
    "environment",
    "known_versions",
    "load_schema",
    "load_schemas",
    "schema_complaints",
]

_WORKER = Path(__file__).with_name("pcluster_schema_worker.py")
_UPDATE_WORKER = Path(__file__).with_name("pcluster_update_worker.py")
_TIMEOUT_S = 120.0  # importing takes 1 s and a config 0.1 s; a slow network disk takes its time
_LAST_LINES = 5


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """The text of a ParallelCluster config, and what its schema wants to know besides."""

    text: str
    cluster_name: str
    region: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the schema says of one place in a config. An empty path means the config as a whole.

    The place may be missing from the config: a required key is named where it should stand.
    """

    path: tuple[str | int, ...]
    message: str


def load_schema(
    config_text: str, *, cluster_name: str, region: str, version: str, report: Callable[[str], None]
) -> tuple[Complaint, ...]:
    """Load one config with the schema of this version, whose environment is made first if need be."""
    (complaints,) = load_schemas([ClusterConfig(config_text, cluster_name, region)], version=version, report=report)
    return complaints


def load_schemas(
    configs: Sequence[ClusterConfig], *, version: str, report: Callable[[str], None]
) -> list[tuple[Complaint, ...]]:
    """Load many configs in one process: starting it takes longer than loading ten of them."""
    return schema_complaints(environment(version, report), configs)


def schema_complaints(
    environment: PclusterEnvironment, configs: Sequence[ClusterConfig], *, timeout_s: float = _TIMEOUT_S
) -> list[tuple[Complaint, ...]]:
    """Return the complaints about each config, sorted by path: pcluster's own order changes from run to run.

    ``timeout_s`` is for starting; each config adds a second. Raises TrainyardError when there is no answer.
    """
    request = json.dumps([asdict(config) for config in configs])
    answer = _ask(environment, request, timeout_s + len(configs))
    return [
        tuple(
            sorted((Complaint(tuple(complaint["path"]), complaint["message"]) for complaint in complaints), key=_order)
        )
        for complaints in answer
    ]


def classify_update(
    former: ClusterConfig, config: ClusterConfig, *, version: str, report: Callable[[str], None]
) -> tuple[ClassifiedChange, ...]:
    """Return what a config changes of another one, by the update policies of a version. Nothing is asked of AWS."""
    made = environment(version, report)
    with tempfile.TemporaryDirectory(prefix="trainyard-update-") as folder:
        files = [Path(folder) / name for name in ("former.yaml", "cluster.yaml")]
        for file, text in zip(files, (former.text, config.text), strict=True):
            file.write_text(text, encoding="utf-8")
        arguments = ("classify-update", "--region", config.region, "--cluster-name", config.cluster_name)
        files_named = ("--former-configuration", str(files[0]), "--cluster-configuration", str(files[1]))
        output = _output(made, _UPDATE_WORKER, (*arguments, *files_named), b"", _TIMEOUT_S)
    return tuple(classified_change(change) for change in json.loads(output)["changes"])


def _ask(environment: PclusterEnvironment, request: str, timeout_s: float) -> list[list[dict[str, Any]]]:
    answer: list[list[dict[str, Any]]] = json.loads(_output(environment, _WORKER, (), request.encode(), timeout_s))
    return answer


def _output(
    environment: PclusterEnvironment, worker: Path, arguments: Sequence[str], content: bytes, timeout_s: float
) -> str:
    command = [str(environment.python), "-I", "-X", "utf8", str(worker), *arguments]
    try:
        ended = run_watched(command, _variables(environment), timeout_s=timeout_s, content=content)
    except NotStartedError as error:
        raise _no_answer(environment, error.problem) from error
    if ended.timed_out:
        raise _no_answer(environment, f"it did not answer within {timeout_s:.0f} s")
    if ended.status:
        raise _no_answer(environment, "; ".join(ended.lines[-_LAST_LINES:]))
    return ended.output


def _variables(environment: PclusterEnvironment) -> dict[str, str]:
    """Return an environment in which botocore finds no credentials, so that it fails before it calls AWS.

    Loading a config asks for its capacity reservations and goes on when that fails.
    https://docs.aws.amazon.com/boto3/latest/guide/credentials.html lists where botocore looks.
    """
    return {
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        "BOTO_CONFIG": "/dev/null",
        "HOME": str(environment.folder),
    }


def _no_answer(environment: PclusterEnvironment, reason: str) -> TrainyardError:
    return TrainyardError(
        f"ParallelCluster {environment.version} could not be asked: {reason}",
        where=str(environment.folder),
        hint="remove this folder; it is made anew on the next use",
    )


def _order(complaint: Complaint) -> tuple[list[tuple[bool, str | int]], str]:
    """Return a sort key; positions and keys cannot be compared with each other."""
    return [(isinstance(step, str), step) for step in complaint.path], complaint.message
