"""Every command of docs/continuous-integration.md is run as it stands, and every file in it reads as what it is."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.examples import example_spec

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "continuous-integration.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(?:.*run: |    - )?(trainyard check .+)$", PAGE, re.MULTILINE)
HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]


@pytest.fixture
def folder(tmp_path):
    """A folder with a spec that has a finding with a fix, and a file that is none of ours."""
    (tmp_path / "infrastructure").mkdir()
    (tmp_path / "infrastructure" / "cluster.yaml").write_text(example_spec("parallelcluster: {imds: v1.0}\n"))
    (tmp_path / "infrastructure" / "other.yaml").write_text("colour: blue\n")
    return tmp_path


def test_it_has_the_commands_that_it_speaks_of():
    assert len(COMMANDS) == 7


def test_its_commands_end_as_it_says(trainyard, folder):
    statuses = {}
    for command in COMMANDS:
        words = shlex.split(re.split(r" > | \|\| ", command)[0])
        ran = trainyard(*words[1:])
        statuses[command] = ran.status
        if "sarif" in words or "gitlab" in words:
            json.loads(ran.out)
    assert {command for command, status in statuses.items() if status} == {"trainyard check --diff infrastructure/"}


def test_its_files_are_yaml_with_pipelines():
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    assert [sorted(map(str, block)) for block in blocks] == [
        ["repos"],
        ["True", "env", "jobs", "name", "permissions"],
        ["trainyard"],
    ]
    assert blocks[0]["repos"][0]["hooks"][0]["id"] == HOOK["id"]


def test_the_hook_passes_over_what_is_not_its_business_and_fails_on_an_error(trainyard, folder):
    words = HOOK["entry"].split()[1:]
    assert trainyard(*words, "infrastructure/other.yaml").status == 0
    (folder / "infrastructure" / "other.yaml").write_text(example_spec("queues: [{nme: gpu}]\n"))
    assert trainyard(*words, "infrastructure/other.yaml").status != 0


def test_the_hook_is_one_that_pre_commit_takes():
    # https://pre-commit.com/#creating-new-hooks
    assert {"id", "name", "entry", "language"} <= HOOK.keys()
