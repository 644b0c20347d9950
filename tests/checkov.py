"""checkov, an outside judge of templates and manifests, in an environment of its own: tools/checkov.sh makes it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Literal, NamedTuple

_PROGRAM = Path(__file__).parents[1] / ".make" / "checkov" / "bin" / "checkov"


class Objection(NamedTuple):
    """What it objects to."""

    check: str
    file: str
    """Without its ending."""
    resource: str
    """In a template, its name; of a manifest, kind, namespace and name."""
    severity: str
    """Only its paid service says how bad it is; high where that is said."""


def objections(folder: Path, framework: Literal["cloudformation", "kubernetes"]) -> set[Objection]:
    """Return what it says about the files in a folder. It asks nobody."""
    assert _PROGRAM.exists(), "checkov is missing: run tools/checkov.sh"
    words = ["--framework", framework, "--directory", str(folder), "--output", "json", "--compact", "--quiet"]
    ran = subprocess.run([_PROGRAM, *words, "--skip-download"], capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    result = json.loads(ran.stdout)
    assert not result["results"].get("parsing_errors"), result["results"]["parsing_errors"]
    assert result["summary"]["passed"] > 0, "it has looked at nothing"
    return {
        Objection(
            failed["check_id"],
            Path(failed["file_path"]).stem,
            failed["resource"].partition(".")[2] if framework == "cloudformation" else failed["resource"],
            str(failed.get("severity") or ""),
        )
        for failed in result["results"]["failed_checks"]
    }
