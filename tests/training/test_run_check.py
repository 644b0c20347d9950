"""What `run check` says of a run: each finding by a run that has it, and by one that has it not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trainyard.api.run import CheckedRun, checked_run, new_run, run_json_schema
from trainyard.errors import SpecError
from trainyard.finding import Finding

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
CLUSTER = """\
name: lab
region: us-east-2
platform: parallelcluster
queues:
  - {name: cpus, instance_type: m5.large, nodes: 2}
  - {name: gpus, instance_type: p5.48xlarge, nodes: 8EXTRA}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
"""
RUN = new_run("command")


def checked(folder: Path, run: str, extra: str = "") -> CheckedRun:
    (folder / "cluster.yaml").write_text(CLUSTER.replace("EXTRA", extra))
    (folder / "run.yaml").write_text(run)
    return checked_run(str(folder / "run.yaml"), NOW)


def only(checked: CheckedRun) -> Finding:
    (finding,) = checked.findings
    return finding


@pytest.mark.parametrize("template", ["ddp", "fsdp", "command", "script"])
def test_every_template_is_clean(tmp_path: Path, template: str):
    assert checked(tmp_path, new_run(template)).findings == ()


def test_the_queue_is_the_first_with_gpus(tmp_path: Path):
    group = checked(tmp_path, RUN).file.group
    assert group is not None
    assert group.queue.name == "gpus"


WRONG = {
    "run-queue-unknown": ("nodes: 2", "queue: gpu\nnodes: 2"),
    "run-nodes-exceed-queue": ("nodes: 2", "nodes: 9"),
    "run-not-restarted": ("most: 20", "most: 0"),
    "run-without-checkpoints": (RUN[RUN.index("checkpoints:") : RUN.index("time_limit_h")], ""),
    "run-checkpoints-not-shared": ("/fsx/runs", "/tmp/runs"),
    "run-checkpoint-interval": ("interval_min: 30", "interval_min: 1"),
    "run-no-time-for-checkpoint": ("before_end_min: 5", "before_end_min: 0.2"),
    "run-beyond-block": ("time_limit_h: 24", "block_ends: 2026-11-24T11:30Z\ntime_limit_h: 24"),
    "run-container-not-possible": ("nodes: 2", "container: nvcr.io/nvidia/pytorch:25.06-py3\nnodes: 2"),
    "run-kubernetes-job-unused": ("nodes: 2", "kubernetes_job: JobSet\nnodes: 2"),
    "run-without-flops": (RUN[RUN.index("# For the util") :], ""),
}


@pytest.mark.parametrize("id_", WRONG)
def test_a_wrong_run_has_its_one_finding(tmp_path: Path, id_: str):
    before, after = WRONG[id_]
    assert before in RUN
    assert only(checked(tmp_path, RUN.replace(before, after, 1))).id == id_


def test_the_launcher_of_nvrx_is_for_slurm(tmp_path: Path):
    run = RUN.replace("  torchrun:", "  launcher: ft_launcher\n  torchrun:")
    assert checked(tmp_path, run).findings == ()
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("parallelcluster", "batch").replace("EXTRA", ""))
    assert "run-launcher-not-possible" in {
        finding.id for finding in checked_run(str(tmp_path / "run.yaml"), NOW).findings
    }


@pytest.mark.parametrize(
    ("operators", "kind", "found"),
    [
        ("training-operator, mpi-operator", "", set()),
        ("jobset", "", set()),
        ("jobset, training-operator", "kubernetes_job: JobSet\n", set()),
        ("mpi-operator", "", {"run-operator-missing"}),
        ("training-operator", "kubernetes_job: JobSet\n", {"run-operator-missing"}),
        ("jobset", "kubernetes_job: PyTorchJob\n", {"run-operator-missing"}),
    ],
)
def test_on_amazon_eks_somebody_has_to_make_the_pods(tmp_path: Path, operators: str, kind: str, found: set[str]):
    text = CLUSTER.replace("parallelcluster", "eks").replace("EXTRA", "")
    (tmp_path / "cluster.yaml").write_text(f"{text}eks: {{operators: [{operators}]}}\n")
    (tmp_path / "run.yaml").write_text(RUN + kind)
    findings = {finding.id: finding for finding in checked_run(str(tmp_path / "run.yaml"), NOW).findings}
    assert set(findings) == found
    if kind and found:
        assert findings["run-operator-missing"].path == "kubernetes_job"


def test_spares_that_the_queue_does_not_have_are_a_warning(tmp_path: Path):
    finding = only(checked(tmp_path, RUN.replace("spare_nodes: 0", "spare_nodes: 7")))
    assert (finding.id, finding.severity, finding.path) == ("run-nodes-exceed-queue", "warning", "spare_nodes")


def test_nodes_without_efa_are_told_where_they_could_have_it(tmp_path: Path):
    assert only(checked(tmp_path, RUN, ", efa: false")).id == "run-without-efa"
    assert checked(tmp_path, RUN.replace("nodes: 2", "nodes: 1"), ", efa: false").findings == ()


def test_a_block_without_its_end_is_a_warning_and_with_it_none(tmp_path: Path):
    block = ", capacity: {capacity_block: cr-0123456789abcdef0}"
    assert "run-block-end-unknown" in {finding.id for finding in checked(tmp_path, RUN, block).findings}
    ends = RUN.replace("time_limit_h: 24", "block_ends: 2026-11-24T12:30Z\ntime_limit_h: 24")
    assert checked(tmp_path, ends, block).findings == ()


def test_the_time_that_a_block_leaves_is_the_remedy(tmp_path: Path):
    finding = only(checked(tmp_path, RUN.replace(*WRONG["run-beyond-block"])))
    assert finding.remedy == "write at most 23"


def test_the_best_interval_is_named_and_then_nothing_is_wrong(tmp_path: Path):
    finding = only(checked(tmp_path, RUN.replace("interval_min: 30", "interval_min: 1")))
    assert (finding.path, finding.remedy) == (
        "checkpoints.interval_min", "write interval_min: 240, or in write_s how long a checkpoint really takes"
    )  # fmt: skip
    assert checked(tmp_path, RUN.replace("interval_min: 30", "interval_min: 240")).findings == ()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("nodes: 2", "nodez: 2", "unknown key 'nodez'; did you mean 'nodes'?"),
        ("  torchrun: train.py --config 8b.yaml\n", "", "program needs one of template, torchrun, script"),
        ("name: own-command", "name: Own_Command", "name must be 1 to 40 lower-case letters"),
        ("time_limit_h: 24", "time_limit_h: 0", "time_limit_h must be more than 0 hours"),
        ("kind: run", "kind: runs", "kind must be run"),
    ],
)
def test_what_is_no_run_is_said_with_its_place(tmp_path: Path, before: str, after: str, message: str):
    with pytest.raises(SpecError) as raised:
        checked(tmp_path, RUN.replace(before, after, 1))
    findings = raised.value.findings
    assert any(message in finding.message and finding.line for finding in findings), findings
    assert not any("docs/spec.md" in str(finding.remedy) for finding in findings)


@pytest.mark.parametrize("text", ["", "- a\n", "name"])
def test_what_is_no_mapping_is_said_so(tmp_path: Path, text: str):
    with pytest.raises(SpecError):
        checked(tmp_path, text)


def test_the_schema_knows_the_keys():
    schema = run_json_schema()
    assert {"kind", "name", "cluster", "nodes", "program", "time_limit_h"} == set(schema["required"])
