"""What somebody wants of a job, beside its definition."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainyard.errors import InputError

_MOST_ATTEMPTS = 10
# An Integer of the API: https://docs.aws.amazon.com/batch/latest/APIReference/API_NodeOverrides.html
_MOST_NODES = 2**31 - 1
# Batch keeps names that begin so to itself.
# https://docs.aws.amazon.com/batch/latest/APIReference/API_ContainerOverrides.html
_RESERVED = "AWS_BATCH"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class Wanted(NamedTuple):
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
