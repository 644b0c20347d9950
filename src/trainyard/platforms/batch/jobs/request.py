"""What SubmitJob is given: https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from trainyard.edge.aws.batch_job_state import JobDefinition
from trainyard.errors import InputError

_LONGEST_NAME = 128
# https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html (read 2026-11-22)
_LONGEST_REQUEST_BYTES = 30 * 1024
_MOST_ATTEMPTS = 10
# An Integer of the API: https://docs.aws.amazon.com/batch/latest/APIReference/API_NodeOverrides.html
_MOST_NODES = 2**31 - 1
# Batch keeps names that begin so to itself.
# https://docs.aws.amazon.com/batch/latest/APIReference/API_ContainerOverrides.html
_RESERVED = "AWS_BATCH"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def submit_parameters(name: str, queue: str, definition: JobDefinition, options: JobOptions) -> dict[str, Any]:
    """Return the parameters of a job. Raises InputError where the definition does not allow what is wanted."""
    options.refuse_wrong()
    _refuse_single_node(definition)
    parameters: dict[str, Any] = {"jobName": job_name(name), "jobQueue": queue, "jobDefinition": definition.arn}
    overrides = _node_overrides(definition, options)
    if overrides:
        parameters["nodeOverrides"] = overrides
    if options.attempts is not None:
        parameters["retryStrategy"] = {"attempts": options.attempts}
    _refuse_long(parameters)
    return parameters


def job_name(text: str) -> str:
    """Return a name as Batch allows it: letters, digits, hyphens and underscores, at most 128, no sign in front."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).lstrip("-_")[:_LONGEST_NAME] or "job"


def _node_overrides(definition: JobDefinition, options: JobOptions) -> dict[str, Any]:
    overrides: dict[str, Any] = {}
    if options.nodes is not None and options.nodes != definition.nodes:
        _refuse_nodes(definition, options.nodes)
        overrides["numNodes"] = options.nodes
    of_container = _container_overrides(options)
    if of_container:
        # Batch takes overrides for the ranges that the definition has.
        overrides["nodePropertyOverrides"] = [
            {"targetNodes": need.nodes, "containerOverrides": of_container} for need in definition.needs
        ]
    return overrides


def _container_overrides(options: JobOptions) -> dict[str, Any]:
    overrides: dict[str, Any] = {}
    if options.command:
        overrides["command"] = list(options.command)
    if options.environment:
        overrides["environment"] = [{"name": name, "value": value} for name, value in dict(options.environment).items()]
    return overrides


def _refuse_single_node(definition: JobDefinition) -> None:
    if definition.type != "multinode":
        hint = f"`aws batch submit-job --job-definition {definition.name}` submits it"
        problem = f"{definition.name} is of type {definition.type}, and no multi-node job"
        raise InputError(problem, where=definition.name, hint=hint)


def _refuse_long(parameters: dict[str, Any]) -> None:
    size = len(json.dumps(parameters, ensure_ascii=False).encode())
    if size > _LONGEST_REQUEST_BYTES:
        hint = "put what is long into a file that nodes mount, or into the image"
        problem = f"variables and command make a request of {size:,} bytes, and Batch takes {_LONGEST_REQUEST_BYTES:,}"
        raise InputError(problem, where="--env, --command", hint=hint)


def _refuse_nodes(definition: JobDefinition, nodes: int) -> None:
    """Raise InputError for a number that Batch refuses.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_NodeOverrides.html
    """
    ranges = ", ".join(need.nodes for need in definition.needs)
    if not any(need.is_open for need in definition.needs):
        hint = (
            f"register a revision with a range without an end, such as 0:; or leave --nodes out for {definition.nodes}"
        )
        problem = f"{definition.name} always has {definition.nodes} nodes: its ranges of nodes ({ranges}) have an end"
        raise InputError(problem, where="--nodes", hint=hint)
    least = max(*(need.first for need in definition.needs), definition.main_node, 0) + 1
    if nodes < least:
        hint = f"{least} at least"
        raise InputError(f"{nodes} nodes are too few for the ranges {ranges}", where="--nodes", hint=hint)


class JobOptions(NamedTuple):
    """What the definition says otherwise. None and empty leave it as it is."""

    nodes: int | None = None
    environment: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...] = ()
    attempts: int | None = None

    def refuse_wrong(self) -> None:
        """Raise InputError for what no job can have."""
        if self.nodes is not None and not 1 <= self.nodes <= _MOST_NODES:
            raise InputError(f"a job has no {self.nodes:,} nodes", where="--nodes", hint="such as --nodes 4")
        if self.attempts is not None and not 1 <= self.attempts <= _MOST_ATTEMPTS:
            problem = f"{self.attempts} attempts are not possible"
            raise InputError(problem, where="--attempts", hint=f"from 1 to {_MOST_ATTEMPTS}")
        for name, _ in self.environment:
            if not _VARIABLE.fullmatch(name):
                raise InputError(f"{name!r} is no name of a variable", where="--env", hint="such as NCCL_DEBUG=INFO")
            if name.startswith(_RESERVED):
                hint = "give it another name"
                raise InputError(f"AWS Batch keeps names like {name} to itself", where="--env", hint=hint)
