"""What the real ParallelCluster answers about configurations: messages of validators, changes, and what they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

# What a dry run that found nothing to refuse says, with exit status 1: pcluster/api/errors.py.
_DRY_RUN_SUCCEEDED = "DryRun flag is set"


@dataclass(frozen=True, slots=True)
class ValidationMessage:
    """What one of ParallelCluster's validators says of a config."""

    level: Literal["ERROR", "WARNING", "INFO"]
    type: str
    """Name of the validator; ConfigSchemaValidator for what the schema refuses."""
    message: str


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What an update would change, or may not change."""

    parameter: str
    current: str
    requested: str
    problem: str | None = None
    """Why it may not be changed."""


FleetNeed = Literal["live", "drain", "terminate", "stop"]
"""What an update needs of the compute fleet, from the least disturbance to the most: nothing, one of two queue update
strategies, the fleet stopped."""
FleetState = Literal[
    "live", "live-logins", "drain", "drain-logins", "terminate", "terminate-logins", "stop", "stop-logins"
]
"""The same, with login nodes as they are or stopped."""


@dataclass(frozen=True, slots=True)
class ClassifiedChange:
    """A change of a configuration, as the update policies of this version of ParallelCluster see it."""

    path: tuple[str, ...]
    """Keys in the configuration, with names in brackets for members of lists: SlurmQueues[train]."""
    current: Any
    """None where it is new."""
    requested: Any
    """None where it goes."""
    policy: str
    """Name of the update policy in pcluster/config/update_policy.py."""
    reason: str
    """Why it may not be changed as the cluster is now, and what would have to be done; empty where it may."""
    allowed_when: tuple[FleetState, ...]
    """In which states it may be changed; empty where in none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What ParallelCluster says of a config before anything is made."""

    accepted: bool
    problem: str
    """The reason in its words; empty where it accepts."""
    messages: tuple[ValidationMessage, ...] = ()
    """Errors and warnings; warnings also where it accepts."""
    changes: tuple[ConfigChange, ...] = ()


def warnings_in(answer: Mapping[str, Any]) -> tuple[ValidationMessage, ...]:
    """Return what validators warn of in an answer to a creation or update that was accepted."""
    return tuple(message for message in verdict_of(0, dict(answer)).messages if message.level == "WARNING")


def verdict_of(status: int, answer: dict[str, Any]) -> Verdict:
    """Return the verdict in a command's exit status and answer."""
    message = " ".join(str(answer.get("message", "")).split())
    accepted = not status or _DRY_RUN_SUCCEEDED in message
    validations = answer.get("configurationValidationErrors") or answer.get("validationMessages") or []
    messages = tuple(
        ValidationMessage(entry["level"], entry.get("type", ""), entry["message"]) for entry in validations
    )
    problems = {error["parameter"]: error["message"] for error in answer.get("updateValidationErrors") or []}
    changes = tuple(
        ConfigChange(
            entry["parameter"], entry["currentValue"], entry["requestedValue"], problems.get(entry["parameter"])
        )
        for entry in answer.get("changeSet") or []
    )
    return Verdict(accepted, "" if accepted else message or "it does not say why", messages, changes)


def classified_change(change: dict[str, Any]) -> ClassifiedChange:
    """Return a change as pcluster_update_worker.py prints it."""
    words = [change["reason"], change["action"]]
    reason = ". ".join(word.rstrip(".") for word in words if word and word != "-")
    states: list[FleetState] = change["allowed_when"]
    path, current, requested = tuple(change["path"]), change["current"], change["requested"]
    return ClassifiedChange(path, current, requested, change["policy"], reason, tuple(states))
