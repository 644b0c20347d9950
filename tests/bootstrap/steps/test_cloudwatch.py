"""Our logs, added to ParallelCluster's CloudWatch agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bootstrap.steps.scripts import answers
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from trainyard.render.cloudwatch_metrics import SYSTEM, SYSTEM_OF_HEAD
from trainyard_node.cloudwatch_command import FILE

STEP = "50-cloudwatch"
AGENT = "opt/aws/amazon-cloudwatch-agent"
THEIRS = f"{AGENT}/etc/amazon-cloudwatch-agent.d/file_amazon-cloudwatch-agent.json"
OURS = f"{AGENT}/etc/amazon-cloudwatch-agent.d/file_trainyard-logs.json"
GROUP = "/aws/parallelcluster/llm-202611211200"
# Does with the configurations what the agent's own script does: `append-config` adds a file named after the one that it
# is given, `fetch-config` removes all others.
CTL = """\
#!/usr/bin/env bash
. "$PROGRAMS/record.sh"
folder=$TRAINYARD_SYSROOT/opt/aws/amazon-cloudwatch-agent/etc/amazon-cloudwatch-agent.d
while (($#)); do
  case $1 in
  -a) action=$2 && shift ;;
  -c) file=${2#file:} && shift ;;
  esac
  shift
done
[[ $action == append-config ]] || rm -f "$folder"/*
cp "$file" "$folder/file_${file##*/}"
echo "Configuration validation succeeded"
"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path)
    node.write(f"{AGENT}/bin/amazon-cloudwatch-agent-ctl", CTL, mode=0o755)
    collect = [{"file_path": "/var/log/syslog", "log_group_name": GROUP, "log_stream_name": "x"}]
    node.write(THEIRS, json.dumps({"logs": {"logs_collected": {"files": {"collect_list": collect}}}}))
    steps = [{"name": "efa", "script": "steps/20-efa.sh"}, {"name": "nccl", "script": "steps/70-nccl.sh"}]
    plan = {"nodes": {"head": {"steps": steps[:1]}, "queue/train": {"steps": steps}}}
    (node.release / "plan.json").write_text(json.dumps(plan))
    answers(node, "hostname", "echo train-st-gpu-1.llm.pcluster")
    return node


def collected(node: FakeNode) -> list[dict[str, str]]:
    logs: list[dict[str, str]] = json.loads(node.read(OURS))["logs"]["logs_collected"]["files"]["collect_list"]
    return logs


def test_each_step_has_a_stream_in_the_log_group_of_the_cluster(node: FakeNode):
    runs_well(node, STEP)
    assert collected(node) == [
        {
            "file_path": f"/var/log/trainyard/{name}.log",
            "log_group_name": GROUP,
            "log_stream_name": f"train-st-gpu-1.{{instance_id}}.trainyard-{name}",
        }
        for name in ("20-efa", "70-nccl")
    ]


def test_a_head_node_collects_its_own_steps(node: FakeNode):
    node.settings.update(role="head", queue="")
    runs_well(node, STEP)
    assert [log["file_path"] for log in collected(node)] == ["/var/log/trainyard/20-efa.log"]


def test_parallelclusters_configuration_is_kept(node: FakeNode):
    before = node.read(THEIRS)
    runs_well(node, STEP)
    assert node.read(THEIRS) == before
    (call,) = node.calls("amazon-cloudwatch-agent-ctl")
    assert call[1:3] == ["-a", "append-config"]


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_another_release_replaces_our_configuration_only(node: FakeNode):
    runs_well(node, STEP)
    (node.release / "plan.json").write_text(
        json.dumps({"nodes": {"queue/train": {"steps": [{"script": "steps/9-x.sh"}]}}})
    )
    runs_well(node, STEP)
    assert [log["file_path"] for log in collected(node)] == ["/var/log/trainyard/9-x.log"]
    assert node.has(THEIRS)


def test_an_agent_that_failed_is_asked_again(node: FakeNode):
    node.fail("amazon-cloudwatch-agent-ctl", "Fail to fetch the config!", times=1)
    assert "cannot add our logs to the CloudWatch agent: Fail to fetch the config!" in complaint(node.run(STEP), 1)
    runs_well(node, STEP)
    assert collected(node)


def test_an_agent_that_drops_parallelclusters_logs_is_told(node: FakeNode):
    node.write(f"{AGENT}/bin/amazon-cloudwatch-agent-ctl", CTL.replace("append-config", "no-such-action"), mode=0o755)
    assert "lost a configuration of ParallelCluster" in complaint(node.run(STEP), 1)


def test_without_the_agent_nothing_happens(tmp_path: Path):
    node = FakeNode(tmp_path)
    assert "does not run here" in runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_where_the_cluster_keeps_no_logs_nothing_happens(node: FakeNode):
    node.write(THEIRS, '{"metrics": {}}')
    assert "collects no log for ParallelCluster" in runs_well(node, STEP)
    changes_nothing(node, STEP)


@pytest.mark.parametrize("text", ["", "{", "[1"])
def test_a_damaged_configuration_is_told(node: FakeNode, text: str):
    node.write(THEIRS, text)
    assert "cannot be read" in complaint(node.run(STEP), 64)


def test_a_full_disk_is_told(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert not node.calls("amazon-cloudwatch-agent-ctl")


def wants(node: FakeNode, groups: str) -> None:
    node.settings.update(cloudwatch_metrics=groups)


def ours(node: FakeNode) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(node.read(OURS))
    return found


def head_node(node: FakeNode) -> None:
    """Let ParallelCluster measure what it does on head nodes: write_cloudwatch_agent_json.py of its cookbook."""
    node.settings.update(role="head", queue="")
    measured = {
        "metrics_collected": {
            "mem": {"metrics_collection_interval": 60, "measurement": ["mem_used_percent"]},
            "disk": {"metrics_collection_interval": 60, "measurement": ["disk_used_percent"], "resources": ["/"]},
        },
        "append_dimensions": {"InstanceId": "${aws:InstanceId}"},
        "aggregation_dimensions": [["InstanceId", "path"]],
    }
    node.write(THEIRS, json.dumps({**json.loads(node.read(THEIRS)), "metrics": measured}))


def test_no_metrics_are_sent_where_the_spec_asks_for_none(node: FakeNode):
    runs_well(node, STEP)
    assert list(ours(node)) == ["logs"]
    assert not any("metrics" in log["file_path"] for log in collected(node))


def test_the_agent_measures_the_node_in_the_namespace_of_the_cluster(node: FakeNode):
    wants(node, "system")
    runs_well(node, STEP)
    metrics = ours(node)["metrics"]
    assert metrics["namespace"] == "ParallelCluster/llm"
    assert metrics["append_dimensions"] == {"InstanceId": "${aws:InstanceId}"}
    assert set(metrics["metrics_collected"]) == {"cpu", "mem", "disk", "diskio", "swap", "netstat"}
    assert not any("metrics" in log["file_path"] for log in collected(node))


def test_a_node_has_each_metric_once_and_not_for_each_cpu_and_disk(node: FakeNode):
    wants(node, "system")
    runs_well(node, STEP)
    metrics = ours(node)["metrics"]
    assert metrics["aggregation_dimensions"] == [["InstanceId"]]
    by_device = {name: metrics["metrics_collected"][name] for name in ("cpu", "disk", "diskio")}
    for section in by_device.values():
        names = [one["name"] if isinstance(one, dict) else one for one in section["measurement"]]
        assert section["drop_original_metrics"] == names
    # Memory has no other dimension, so there is nothing to add up, and what is dropped would be gone.
    assert "drop_original_metrics" not in metrics["metrics_collected"]["mem"]


def test_the_plan_counts_as_many_metrics_as_the_agent_measures(node: FakeNode):
    wants(node, "system")
    runs_well(node, STEP)
    assert sum(len(one["measurement"]) for one in ours(node)["metrics"]["metrics_collected"].values()) == SYSTEM
    head_node(node)
    runs_well(node, STEP)
    assert sum(len(one["measurement"]) for one in ours(node)["metrics"]["metrics_collected"].values()) == SYSTEM_OF_HEAD


def test_metrics_are_measured_once_a_minute(node: FakeNode):
    wants(node, "system")
    runs_well(node, STEP)
    sections = ours(node)["metrics"]["metrics_collected"].values()
    assert {section["metrics_collection_interval"] for section in sections} == {60}


def test_on_the_head_node_the_namespace_stays_where_parallelclusters_alarms_look(node: FakeNode):
    head_node(node)
    wants(node, "system slurm")
    runs_well(node, STEP)
    metrics = ours(node)["metrics"]
    assert list(metrics) == ["metrics_collected"]
    assert set(metrics["metrics_collected"]) == {"cpu", "swap", "netstat"}


@pytest.mark.parametrize("groups", ["gpu", "efa", "efa-interfaces", "slurm", "system gpu efa"])
def test_what_trainyard_node_measures_is_sent_as_a_log_of_the_cluster(node: FakeNode, groups: str):
    wants(node, groups)
    runs_well(node, STEP)
    assert collected(node)[-1] == {
        "file_path": FILE,
        "log_group_name": GROUP,
        "log_stream_name": "train-st-gpu-1.{instance_id}.trainyard-metrics",
    }
    assert ("metrics" in ours(node)) == ("system" in groups)


def test_metrics_that_are_no_longer_wanted_are_taken_out(node: FakeNode):
    wants(node, "system gpu")
    runs_well(node, STEP)
    wants(node, "")
    runs_well(node, STEP)
    assert list(ours(node)) == ["logs"]
    changes_nothing(node, STEP)
