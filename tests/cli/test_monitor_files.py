"""Dashboards and alerts, listed and written as files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.monitoring.clusters import MIXED
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import ORDER, dashboards

PLAIN = """\
name: plain
region: us-east-1
platform: parallelcluster
network: {availability_zone: us-east-1a}
head_node: {instance_type: m5.2xlarge}
queues: [{name: cpu, instance_type: m5.2xlarge, nodes: 1, capacity: on-demand}]
monitoring: {mode: amp-only}
"""


def spec_file(text: str) -> str:
    Path("cluster.yaml").write_text(text)
    return "cluster.yaml"


def test_all_dashboards_are_listed_with_every_panel(trainyard):
    ran = trainyard("monitor", "dashboards")
    assert (ran.status, ran.err) == (0, "")
    said = " ".join(ran.out.split())
    for dashboard in dashboards():
        assert f"{dashboard.id} {dashboard.description}" in said
        assert [panel.title for panel in dashboard.panels() if panel.title not in said] == []


def test_only_what_a_cluster_can_fill_is_listed(trainyard):
    ran = trainyard("monitor", "dashboards", spec_file(PLAIN))
    assert ran.status == 0
    names = [line.split("  ")[0] for line in ran.out.splitlines() if not line.startswith(" ")]
    # Those in CloudWatch stand below.
    assert names[:10] == [
        *("cluster-overview", "node-status", "slurm-jobs", "jobs", "job", "training-runs", "node", "host-system"),
        *("storage", "money"),
    ]
    assert all(name.startswith("ParallelCluster-plain") for name in names[10:])
    assert re.search("GPU(?!-hour)", ran.out) is None
    assert "EFA throughput" not in ran.out


def test_files_are_written_and_replaced_while_they_are_ours(trainyard):
    file = spec_file(MIXED.replace("MODE", "amp+amg"))
    for _ in range(2):
        ran = trainyard("monitor", "dashboards", file, "-o", "out")
        assert ran.status == 0
        written = [Path(line) for line in ran.out.splitlines()]
        assert [one.stem for one in written if one.parts[1] == "grafana"] == [
            name for name in ORDER if name != "neuron-devices"
        ]
        assert {one.parts[1] for one in written} == {"grafana", "cloudwatch"}
        assert all(json.loads(one.read_bytes()) for one in written)


def test_without_a_spec_there_is_nothing_of_cloudwatch(trainyard):
    ran = trainyard("monitor", "dashboards", "-o", "out")
    assert [Path(line).parts[1] for line in ran.out.splitlines()] == ["grafana"] * len(ORDER)


def test_what_somebody_changed_is_kept(trainyard):
    trainyard("monitor", "dashboards", "-o", "out")
    mine = Path("out/grafana/storage.json")
    mine.write_text("{}")
    refused = trainyard("monitor", "dashboards", "-o", "out")
    assert refused.status == 2
    assert "was changed since trainyard made it (grafana/storage.json)" in refused.err
    assert mine.read_text() == "{}"
    forced = trainyard("monitor", "dashboards", "-o", "out", "--force")
    assert forced.status == 0
    assert "the former folder is kept as" in forced.err
    assert json.loads(mine.read_bytes())["uid"] == "trainyard-storage"
    assert [one.read_text() for one in Path().glob("out.before-*/grafana/storage.json")] == ["{}"]


def test_a_folder_of_somebody_else_is_left_alone(trainyard):
    Path("theirs").mkdir()
    Path("theirs/notes.txt").write_text("mine")
    ran = trainyard("monitor", "dashboards", "-o", "theirs")
    assert (ran.status, ran.out) == (2, "")
    assert "was not made by trainyard" in ran.err
    assert [one.name for one in Path("theirs").iterdir()] == ["notes.txt"]


def test_a_cluster_that_measures_nothing_has_none_for_grafana(trainyard):
    ran = trainyard("monitor", "dashboards", spec_file(PLAIN.replace("amp-only", "none")), "-o", "out")
    assert ran.status == 0
    assert "monitoring.mode is none" in ran.err
    assert not Path("out/grafana").exists()


def test_a_spec_with_errors_writes_nothing(trainyard):
    ran = trainyard("monitor", "dashboards", spec_file(PLAIN.replace("us-east-1a", "eu-west-1a")), "-o", "out")
    assert (ran.status, ran.out) == (1, "")
    assert "nothing was written: 1 error" in ran.err
    assert not Path("out").exists()


@pytest.mark.parametrize("text", ["", "name: [", "\x00\x01", "kind: cluster\n"], ids=["empty", "cut", "binary", "part"])
def test_what_is_no_spec_is_told(trainyard, text):
    ran = trainyard("monitor", "dashboards", spec_file(text), "-o", "out")
    assert (ran.status, ran.out) == (2, "")
    assert "cluster.yaml" in ran.err
    assert not Path("out").exists()


def test_a_spec_that_is_not_there_is_told(trainyard):
    ran = trainyard("monitor", "dashboards", "gone.yaml")
    assert ran.status == 2
    assert "gone.yaml" in ran.err


def test_programs_read_what_dashboards_show(trainyard):
    ran = trainyard("monitor", "dashboards", spec_file(PLAIN), "-o", "out", "--json")
    told = json.loads(ran.out)
    assert (ran.status, ran.err, told["folder"], told["kept"]) == (0, "", "out", None)
    assert next(dashboard["id"] for dashboard in told["dashboards"]) == "cluster-overview"
    assert all(set(dashboard) == {"id", "title", "description", "panels"} for dashboard in told["dashboards"])
    assert "grafana/storage.json" in told["files"]
    assert told["findings"] == []


def test_programs_read_why_nothing_was_written(trainyard):
    ran = trainyard("monitor", "dashboards", spec_file(PLAIN.replace("us-east-1a", "eu-west-1a")), "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["files"], told["dashboards"]) == (1, [], [])
    assert [finding["severity"] for finding in told["findings"]] == ["error"]


def test_alerts_are_listed_with_severity_and_summary(trainyard):
    ran = trainyard("monitor", "alerts")
    assert (ran.status, ran.err) == (0, "")
    assert [line.split()[:2] for line in ran.out.splitlines()] == [[alert.id, alert.severity] for alert in alerts()]
    assert "{{" not in ran.out


@pytest.mark.integration
def test_prometheus_reads_the_rules_that_are_written(trainyard):
    ran = trainyard("monitor", "alerts", "-o", "rules.yml")
    assert ran.status == 0
    assert ran.out.startswith(f"rules.yml written: {len(alerts())} alerts")
    promtool = shutil.which("promtool")
    assert promtool is not None
    subprocess.run([promtool, "check", "rules", "--lint-fatal", "rules.yml"], check=True, capture_output=True)


def test_rules_of_somebody_else_are_replaced_only_when_told_so(trainyard):
    Path("rules.yml").write_text("groups: []\n")
    refused = trainyard("monitor", "alerts", "-o", "rules.yml")
    assert (refused.status, refused.out) == (2, "")
    assert "rules.yml exists already" in refused.err
    assert Path("rules.yml").read_text() == "groups: []\n"
    assert trainyard("monitor", "alerts", "-o", "rules.yml", "--force").status == 0
    assert "node:gpu_utilization_percent:avg" in Path("rules.yml").read_text()


EKS = """\
name: eks-p5
region: us-east-1
platform: eks
network: {availability_zone: us-east-1a, secondary_availability_zone: us-east-1b}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 1, capacity: on-demand}]
monitoring: {mode: amp-only}
"""


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        (
            MIXED.replace("MODE", "amp-only"),
            {alert.id for alert in alerts() if not alert.id.startswith(("neuron-", "nccl-"))},
            {"neuron-hangs"},
        ),
        (PLAIN, {"slurm-node-down", "filesystem-filling", "credentials-expiring"}, {"gpu-xid-fatal", "efa-errors"}),
        (EKS, {"gpu-xid-fatal", "efa-errors", "no-metrics"}, {"slurm-node-down", "gpu-idle-in-job"}),
    ],
    ids=["mixed", "plain", "eks"],
)
def test_only_alerts_that_can_fire_in_a_cluster_are_listed(trainyard, text, has, lacks):
    ran = trainyard("monitor", "alerts", spec_file(text))
    assert ran.status == 0
    listed = {line.split()[0] for line in ran.out.splitlines()}
    assert listed >= has
    assert not listed & lacks


@pytest.mark.integration
def test_prometheus_reads_the_rules_of_a_cluster(trainyard):
    ran = trainyard("monitor", "alerts", spec_file(EKS), "-o", "rules.yml")
    assert ran.status == 0
    rules = Path("rules.yml").read_text()
    assert "gpu-xid-fatal" in rules
    assert "node:gpu_utilization_percent:avg" in rules
    assert "slurm-node-down" not in rules
    promtool = shutil.which("promtool")
    assert promtool is not None
    subprocess.run([promtool, "check", "rules", "--lint-fatal", "rules.yml"], check=True, capture_output=True)


def test_a_cluster_that_measures_nothing_has_no_alerts(trainyard):
    ran = trainyard("monitor", "alerts", spec_file(PLAIN.replace("amp-only", "none")), "-o", "rules.yml")
    assert (ran.status, ran.out) == (0, "")
    assert "monitoring.mode is none: nothing is measured that an alert could tell of" in ran.err
    assert not Path("rules.yml").exists()


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (PLAIN.replace("us-east-1a", "eu-west-1a"), 1, "nothing was written: 1 error"),
        ("name: [", 2, "cluster.yaml"),
        ("", 2, "cluster.yaml"),
    ],
)
def test_alerts_of_what_is_no_good_spec_are_not_written(trainyard, text, status, said):
    ran = trainyard("monitor", "alerts", spec_file(text), "-o", "rules.yml")
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert not Path("rules.yml").exists()


def test_programs_read_alerts(trainyard):
    told = json.loads(trainyard("monitor", "alerts", "--json").out)
    assert (told["file"], told["findings"]) == (None, [])
    assert [alert["id"] for alert in told["alerts"]] == [alert.id for alert in alerts()]
    assert all(set(alert) == {"id", "group", "severity", "for", "summary"} for alert in told["alerts"])


def test_a_file_that_cannot_be_written_is_told(trainyard):
    Path("file").write_text("")
    for command in ("alerts", "dashboards"):
        ran = trainyard("monitor", command, "-o", "file/there")
        assert (ran.status, ran.out) == (1, "")
        assert "could not write file/there" in ran.err
