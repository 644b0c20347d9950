"""cfn-guard, an outside judge of templates, with the rules of AWS Control Tower: tools/cfn_guard.sh fetches both."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_PLACE = Path(__file__).parents[1] / ".make" / "cfn-guard"
_RULE = re.compile(r"^rule (\w+) when is_cfn_template", re.MULTILINE)
_RESOURCE = re.compile(r'"/Resources/(\w+)')


class Objection(NamedTuple):
    """What it objects to."""

    control: str
    """The control of AWS Control Tower, such as CT.EC2.PR.2."""
    severity: str
    """LOW, MEDIUM, HIGH or CRITICAL, as Control Tower has it."""
    template: str
    type: str
    """The type of the resource."""


def objections(templates: Mapping[str, Mapping[str, Any]], folder: Path) -> set[Objection]:
    """Return what it says about some templates, by name, which are written into a folder. It asks nobody."""
    for name, template in templates.items():
        (folder / f"{name}.json").write_text(json.dumps(template), encoding="utf-8")
    words = [
        "validate",
        "--rules",
        str(_PLACE / "rules"),
        "--data",
        str(folder),
        "--structured",
        "--output-format",
        "json",
    ]
    ran = subprocess.run(
        [_program(), *words, "--show-summary", "none"], capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode in (0, 19), ran.stderr
    reports = {Path(report["name"]).stem: report for report in json.loads(ran.stdout)}
    assert reports.keys() == templates.keys()
    assert any(report["compliant"] for report in reports.values()), "it has looked at nothing"
    return {
        Objection(*_controls()[broken["Rule"]["name"]], name, templates[name]["Resources"][resource]["Type"])
        for name, report in reports.items()
        for broken in report["not_compliant"]
        for resource in _RESOURCE.findall(json.dumps(broken))
    }


def _program() -> Path:
    program = _PLACE / "cfn-guard"
    assert program.exists(), "cfn-guard is missing: run tools/cfn_guard.sh"
    return program


@cache
def _controls() -> dict[str, tuple[str, str]]:
    """Return the control of each rule, and how bad it is to break it."""
    facts = {file.name.split(".")[0]: json.loads(file.read_text()) for file in _PLACE.glob("metadata/*/*.json")}
    return {
        rule: (facts[file.stem]["Id"], facts[file.stem]["Severity"])
        for file in _PLACE.glob("rules/*/*.guard")
        for rule in _RULE.findall(file.read_text(encoding="utf-8"))
    }
