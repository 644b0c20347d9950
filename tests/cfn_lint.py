"""cfn-lint, an outside judge, in this process: to start the program takes longer than to judge most templates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def objections(
    *templates: Path, parameters: Sequence[Path] = (), ignored: Sequence[str], regions: Sequence[str]
) -> list[str]:
    """Return what it says about templates, with each file of parameters, in each of the regions."""
    # Imported here because that takes a second, and every process of pytest imports this module.
    from cfnlint.config import ConfigMixIn  # type: ignore[import-untyped]  # noqa: PLC0415
    from cfnlint.runner.cli import Runner  # type: ignore[import-untyped]  # noqa: PLC0415

    arguments = ["--ignore-checks", *ignored, "--regions", *regions]
    if parameters:
        arguments += ["--parameter-files", *map(str, parameters)]
    return [str(match) for match in Runner(ConfigMixIn([*arguments, "--", *map(str, templates)])).run()]
