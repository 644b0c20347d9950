"""What the real eksctl says of a ClusterConfig, where it is installed: by its own schema, and by a dry run.

Nothing it is asked leaves this machine: the dry run is one in the emulated account.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from trainyard.edge.aws.account import Account, program_variables
from trainyard.edge.eksctl import EksctlRefusedError, eksctl_of
from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal.eksctl.stacks import eksctl_refusal

_TIMEOUT_S = 60.0


@dataclass
class InstalledEksctlCheck:
    """Asks the eksctl that is on PATH, and remembers what was asked and why what was not."""

    account: Account
    program: str | None = field(default_factory=lambda: shutil.which("eksctl"))
    by_schema: bool = False
    """Whether a configuration passed eksctl's own schema."""
    by_dry_run: bool = False
    """Whether a configuration passed a dry run."""
    said: list[str] = field(default_factory=list)
    """Why a program that is there was not asked, and what it had to say that nobody here can judge."""
    _looked: set[str] = field(default_factory=set)

    @property
    def reached(self) -> list[str]:
        """Return what the real eksctl has passed, as the lists of a rehearsal call it."""
        passed = {"eksctl_schema": self.by_schema, "eksctl_dry_run": self.by_dry_run}
        return [name for name, done in passed.items() if done]

    def look(self, config: str) -> None:
        """Let it look at a configuration. Raises EksctlRefusedError where its schema refuses it."""
        if config in self._looked:
            return
        self._looked.add(config)
        if self.program is None:
            return
        self._by_schema(config)
        self._by_dry_run(config)

    def _by_schema(self, config: str) -> None:
        if self._schema is None:
            return
        import jsonschema  # noqa: PLC0415  the extra `rehearse` brings it by way of moto, and nothing else needs it

        errors = jsonschema.Draft7Validator(self._schema).iter_errors(yaml.load(config, Loader=yaml.CSafeLoader))
        wrong = [f"{'.'.join(map(str, error.absolute_path)) or 'ClusterConfig'}: {error.message}" for error in errors]
        if wrong:
            raise eksctl_refusal("utils schema", wrong)
        self.by_schema = True

    def _by_dry_run(self, config: str) -> None:
        """Run it dry. What it says against a configuration is told and does not count: that may be the emulation."""
        try:
            eksctl_of(self.account).dry_run(config)
        except EksctlRefusedError as error:
            self.said.append(f"a dry run in the emulated account: {error.problem}")
        except TrainyardError as error:
            self.said.append(error.problem)
        else:
            self.by_dry_run = True

    @cached_property
    def _schema(self) -> dict[str, Any] | None:
        if importlib.util.find_spec("jsonschema") is None:
            self.said.append("jsonschema is not installed, which reads the schema of eksctl")
            return None
        ended = run_watched(
            [str(self.program), "utils", "schema"], program_variables(self.account), timeout_s=_TIMEOUT_S
        )
        try:
            schema: dict[str, Any] = json.loads(ended.output)
        except ValueError:
            self.said.append(f"`eksctl utils schema` printed no schema: {' '.join(ended.lines)[:200]}")
            return None
        return schema
