"""cfn-lint, an outside judge, on every template with what a spec says to it."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.render.cloudformation.templates import FOLDER, STACKS
from trainyard.architectures import all_architectures
from trainyard.bundle.stack_files import parameters_list
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse

REGIONS = ["us-east-1", "us-east-2", "ap-northeast-1"]
MODES = ["none", "self-hosting", "amp-only", "amp+amg"]
# Parameters that only one mode needs are empty in the others, and so not of the form that their resources demand.
ALLOWED_WARNING = "W1030"


def lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("cfn-lint")
    command = [str(program), "--ignore-checks", ALLOWED_WARNING, "--regions", *REGIONS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.integration
def test_no_template_has_anything_that_cfn_lint_objects_to():
    checked = lint("--", *(str(file) for file in sorted(FOLDER.glob("*.yaml"))))
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.integration
@pytest.mark.parametrize("kind", STACKS)
def test_nor_has_one_with_the_parameters_of_any_architecture_in_any_mode(tmp_path: Path, kind: str):
    files = []
    for number, parameters in enumerate(sorted(_different()[kind])):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(parameters, encoding="utf-8")
    checked = lint("--parameter-files", *(str(file) for file in files), "--", str(FOLDER / f"{kind}.yaml"))
    assert (checked.returncode, checked.stdout) == (0, "")


def _different() -> dict[str, set[str]]:
    """Return the parameters of every kind of stack in all architectures and modes; those alike but for names once."""
    found: dict[tuple[str, str], str] = {}
    for architecture, mode in itertools.product(all_architectures(), MODES):
        text = architecture.text.replace("mode: amp+amg", "mode: none")
        mode_line = f"monitoring:\n  mode: {mode}\n"
        text = text.replace("monitoring:\n  mode: none\n", mode_line) if "monitoring:" in text else text + mode_line
        for stack in stacks(parse(text, "cluster.yaml").spec, Ids({})):
            same = {name: value for name, value in stack.parameters.items() if "Name" not in name and "AZ" not in name}
            found[stack.kind, json.dumps(same)] = json.dumps(parameters_list(stack))
    return {kind: {text for (of, _), text in found.items() if of == kind} for kind in STACKS}
