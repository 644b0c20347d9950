"""One CloudFormation stack as it is to be: its template, and all that the spec decides about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["network", "storage", "monitoring", "rules", "assets", "batch", "nodes"]


@dataclass(frozen=True, slots=True)
class Stack:
    """What CreateStack and CreateChangeSet take."""

    kind: Kind
    name: str
    template: str
    """The text of the template, as it stands in the package."""
    parameters: dict[str, str]
    """Values by name: only what the spec decides; for the rest the defaults of the template are right."""
    tags: dict[str, str]
    """Tags of the stack, which CloudFormation hands on to what the stack makes."""
    capabilities: tuple[str, ...]

    @property
    def template_file(self) -> str:
        """Return the name of the template's file in a bundle."""
        return f"{self.kind}.yaml"

    @property
    def parameters_file(self) -> str:
        """Return the name of the file with the parameters in a bundle."""
        return f"{self.kind}.parameters.json"
