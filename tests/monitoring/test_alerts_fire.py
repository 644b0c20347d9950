"""promtool itself judges the rules, and runs the cases of each alert."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.monitoring.alert_cases import promtool_file
from trainyard.document.write import yaml_text
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.prometheus_rules import alert_rules, recording_groups


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool")
    assert program is not None
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.yaml"
    names = [group for group in recording_groups() if group["name"] == "trainyard-recorded-names"]
    file.write_text(yaml_text({"groups": [*names, *alert_rules()["groups"]]}), encoding="utf-8")
    return file


@pytest.mark.integration
def test_promtool_accepts_the_rules(rules: Path):
    done = promtool("check", "rules", "--lint-fatal", str(rules))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(alerts()) + 1} rules found" in done.stdout


@pytest.mark.integration
@pytest.mark.parametrize("id_", [alert.id for alert in alerts()])
def test_an_alert_fires_where_it_should_and_no_other_does(rules: Path, tmp_path: Path, id_: str):
    file = tmp_path / "cases.yaml"
    file.write_text(yaml.safe_dump(promtool_file(rules, id_)), encoding="utf-8")
    done = promtool("test", "rules", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
