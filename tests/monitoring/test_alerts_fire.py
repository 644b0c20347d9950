"""promtool itself judges the rules, and runs the cases of each alert."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.alert_cases import promtool_file
from tests.monitoring.prometheus import PROMTOOL_3
from tests.monitoring.promql import named_metrics
from trainyard.document.write import yaml_text
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.prometheus_rules import alert_rules, recording_groups

EACH_PROMTOOL = pytest.mark.parametrize(
    "named",
    [pytest.param("promtool", id="2"), pytest.param(PROMTOOL_3, id="3", marks=pytest.mark.exhaustive)],
)


def promtool(named: str | Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which(named)
    assert program is not None, f"{named} is missing: tools/prometheus.sh fetches it"
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.yaml"
    file.write_text(yaml_text({"groups": [*recorded_for_alerts(), *alert_rules()["groups"]]}), encoding="utf-8")
    return file


def recorded_for_alerts() -> list[dict[str, Any]]:
    """Return the groups with what alerts ask for, and what that is recorded of, alone."""
    recorded = {rule["record"]: rule["expr"] for group in recording_groups() for rule in group["rules"]}
    wanted, asked = set[str](), {name for alert in alerts() for name in named_metrics(alert.rule)}
    while found := asked & set(recorded) - wanted:
        wanted |= found
        asked = {name for record in found for name in named_metrics(recorded[record])}
    chosen = [
        {**group, "rules": [rule for rule in group["rules"] if rule["record"] in wanted]}
        for group in recording_groups()
    ]
    return [group for group in chosen if group["rules"]]


@pytest.mark.integration
@EACH_PROMTOOL
def test_promtool_accepts_the_rules(rules: Path, named: str | Path):
    done = promtool(named, "check", "rules", "--lint-fatal", str(rules))
    assert done.returncode == 0, done.stdout + done.stderr
    recorded = sum(len(group["rules"]) for group in recorded_for_alerts())
    assert f"{len(alerts()) + recorded} rules found" in done.stdout


@pytest.mark.integration
@EACH_PROMTOOL
@pytest.mark.parametrize("id_", [alert.id for alert in alerts()])
def test_an_alert_fires_where_it_should_and_no_other_does(rules: Path, tmp_path: Path, id_: str, named: str | Path):
    file = tmp_path / "cases.yaml"
    file.write_text(yaml.safe_dump(promtool_file(rules, id_)), encoding="utf-8")
    done = promtool(named, "test", "rules", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
