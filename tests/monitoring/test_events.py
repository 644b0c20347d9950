"""Events are recorded when they begin, with the names of their node, and while they last."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.promql import exported, unknown_in
from trainyard.monitoring.events import LABELS, RECORD, ClusterEvent, events
from trainyard.monitoring.features import NEEDS
from trainyard.monitoring.prometheus_rules import recording_rules

EACH = pytest.mark.parametrize("event", events(), ids=lambda event: event.event)


@EACH
def test_an_event_asks_for_metrics_and_labels_that_are_exported_or_recorded(event: ClusterEvent):
    assert unknown_in(event.expr, exported()) == []
    assert set(event.needs) <= set(NEEDS)


def test_kinds_and_marks_are_told_apart():
    for names in ([event.event for event in events()], [event.marks for event in events()]):
        assert sorted(set(names)) == sorted(names)


HOST = 'cluster="c", node_name="ip-{0}", queue="gpu", instance_id="i-{0}"'
PODS = 'cluster="e", node_name="ip-{0}", queue="p5", instance_id="i-{0}", jobid="ml/llm", jobname="llm", user="ml"'
HEAD = 'cluster="c", node_name="ip-9", node_type="HeadNode", instance_id="i-9"'
ONE = HOST.format(1)
NEW = HOST.format(2)
SERIES = {
    f'up{{job="dcgm-exporter", {ONE}}}': "1x200",
    f'node_uname_info{{{ONE}, nodename="gpu-st-p5-1"}}': "1x200",
    f'slurm_node_status{{{HEAD}, node="gpu-st-p5-1", status="idle", partition="gpu"}}': "1x200",
    f'slurm_node_status{{{HEAD}, node="gpu-dy-p5-7", status="down#", partition="gpu"}}': "1x200",
    f"slurm_jobs_running{{{HEAD}}}": "1x200",
    # The alert of a node that Slurm alone knows, and of the cluster.
    'ALERTS{alertname="slurm-node-drained", alertstate="firing", severity="warning", cluster="c", node="gpu-st-p5-1"}':
        "_x20 1x40 stale",
    'ALERTS_FOR_STATE{alertname="slurm-node-drained", severity="warning", cluster="c", node="gpu-st-p5-1"}':
        "_x10 600x50 stale",
    'ALERTS{alertname="no-metrics", alertstate="firing", severity="critical"}': "_x20 1x20 stale",
    'ALERTS_FOR_STATE{alertname="no-metrics", severity="critical"}': "_x10 660x30 stale",
    f'slurm_node_drain_reason_info{{{HEAD}, node="gpu-st-p5-1", reason="bad <b>fan</b>"}}': "_x20 1x40 stale",
    f'slurm_node_drain_since_timestamp_seconds{{{HEAD}, node="gpu-st-p5-1"}}': "_x20 1190x40 stale",
    f'slurm_node_drain_reason_info{{{HEAD}, node="gpu-dy-p5-7", reason="(Code:InsufficientInstanceCapacity)Failure"}}':
        "_x20 1x20 stale",
    f'slurm_node_drain_since_timestamp_seconds{{{HEAD}, node="gpu-dy-p5-7"}}': "_x20 1195x20 stale",
    f'trainyard_health_problem{{{ONE}, check="gpu-xid", device="GPU-3", status="failed", code="79", text="fell off"}}':
        "_x20 1x20 stale _x20 1x20 stale",
    f'DCGM_FI_DEV_XID_ERRORS{{{ONE}, gpu="3", err_code="79", err_msg="fell off"}}': "_x20 79x100",
    # Had an Xid before anybody looked.
    f'DCGM_FI_DEV_XID_ERRORS{{{ONE}, gpu="4", err_code="31", err_msg="MMU"}}': "31x200",
    f'node_boot_time_seconds{{{ONE}, instance_type="p5.48xlarge"}}': "60x59 stale",
    # Half an hour after the first instance came another one.
    f'up{{job="node", {NEW}}}': "_x70 1x100",
    f'node_uname_info{{{NEW}, nodename="gpu-st-p5-1"}}': "_x70 1x100",
    f'node_boot_time_seconds{{{NEW}, instance_type="p5.48xlarge"}}': "_x70 4150x100",
    f'trainyard_node_info{{{ONE}, version="1"}}': "1x49 stale",
    f'trainyard_node_info{{{HEAD}, version="2"}}': "_x49 1x100",
    f'slurm_job_node_info{{{HEAD}, jobid="7", jobname="llm", user="ann", partition="gpu", node="gpu-st-p5-1"}}':
        "_x20 1x19 stale",
    # Nodes that tell of their own: one is silent for two minutes, and one begins later and ends earlier.
    'trainyard_jobs_running{cluster="e", instance_id="i-3"}': "1x200",
    f"trainyard_job_node_info{{{PODS.format(3)}}}": "_x20 1x9 _ _ 1x6 stale",
    f"trainyard_job_node_info{{{PODS.format(4)}}}": "_x24 1x4 stale",
}  # fmt: skip
GPU_1 = {"node": "gpu-st-p5-1", "node_name": "ip-1", "queue": "gpu"}
JOB = {"jobid": "7", "user": "ann", "queue": "gpu", "text": "llm"}
POD_JOB = {"cluster": "e", "jobid": "ml/llm", "user": "ml", "queue": "p5", "text": "llm"}
# By the minute in which one looks: the event, its labels, and when it began.
EXPECTED: dict[str, list[tuple[int, dict[str, str], int]]] = {
    "alert": [
        (40, {**GPU_1, "text": "warning slurm-node-drained "}, 600),
        (40, {"cluster": "", "text": "critical no-metrics "}, 660),
        (50, {**GPU_1, "text": "warning slurm-node-drained "}, 600),
    ],
    "drain": [(30, {**GPU_1, "text": "bad <b>fan</b>"}, 1190), (55, {**GPU_1, "text": "bad <b>fan</b>"}, 1190)],
    "launch failure": [
        (30, {"node": "gpu-dy-p5-7", "queue": "gpu", "text": "(Code:InsufficientInstanceCapacity)Failure"}, 1195)
    ],
    # It remembers when it began, and begins anew.
    "failed check": [
        (35, {**GPU_1, "text": "gpu-xid GPU-3 79 fell off"}, 20 * 60),
        (70, {**GPU_1, "text": "gpu-xid GPU-3 79 fell off"}, 62 * 60),
    ],
    "Xid": [(21, {**GPU_1, "text": "GPU 3: Xid 79 fell off"}, 20 * 60)],
    "boot": [(20, {**GPU_1, "text": "i-1, p5.48xlarge"}, 60)],
    "replacement": [(75, {**GPU_1, "node_name": "ip-2", "text": "i-2, p5.48xlarge"}, 4150)],
    "release": [(50, {"text": "trainyard 2 on nodes"}, 49 * 60)],
    "job start": [(21, JOB, 20 * 60), (21, POD_JOB, 20 * 60)],
    "job end": [(41, JOB, 40 * 60), (42, POD_JOB, 42 * 60)],
}
# When they are over, or were never there.
NONE = {
    "alert": 65, "drain": 65, "launch failure": 45, "failed check": 41, "Xid": 25,
    "boot": 40, "replacement": 60, "release": 55, "job start": 25, "job end": 45,
}  # fmt: skip
SILENT = {"job start": 32, "job end": 31}
"""When nodes of a job were silent for a moment, or are."""


@pytest.mark.integration
def test_each_event_is_there_with_its_time_for_as_long_as_it_lasts(tmp_path: Path):
    assert set(EXPECTED) == set(NONE) == {event.event for event in events()}
    looked = [(event, at) for event, seen in EXPECTED.items() for at in sorted({at for at, *_ in seen})]
    tests = [_expected(event, at) for event, at in [*looked, *NONE.items(), *SILENT.items()]]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(recording_rules()))
    given = [{"series": name, "values": values} for name, values in SERIES.items()]
    case = {"interval": "1m", "input_series": given, "promql_expr_test": tests}
    file = tmp_path / "test.yaml"
    # Without an order, promtool takes any: what is recorded of a recorded series is then a minute late, or not.
    order = [group["name"] for group in recording_rules()["groups"]]
    file.write_text(
        json.dumps(
            {
                "rule_files": ["rules.yaml"],
                "evaluation_interval": "1m",
                "group_eval_order": order,
                "tests": [case],
            }
        )
    )
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _expected(event: str, at: int) -> dict[str, Any]:
    found = [(labels, began) for minute, labels, began in EXPECTED[event] if minute == at]
    samples = [
        {"labels": _series({"cluster": "c", **labels, "event": event}), "value": began} for labels, began in found
    ]
    return {"expr": f'{RECORD}{{event="{event}"}}', "eval_time": f"{at}m", "exp_samples": samples}


def _series(labels: dict[str, str]) -> str:
    assert set(labels) <= {*LABELS, "event"}
    return f"{RECORD}{{{', '.join(f'{name}={json.dumps(value)}' for name, value in labels.items() if value)}}}"
