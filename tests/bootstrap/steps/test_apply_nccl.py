"""The shared NCCL, brought to nodes that run already."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import FakeNode, complaint

# What Slurm prints for nodes in all their states, twice where a node is in two queues.
NODES = """\
train-st-gpu-1 idle train
train-st-gpu-1 idle debug
train-st-gpu-2 mix train
train-st-gpu-3 alloc train
train-st-gpu-4 idle~ train
train-st-gpu-5 idle# train
train-st-gpu-6 down* train
train-st-gpu-7 drain train
train-st-gpu-8 idle* train
train-dy-gpu-1 comp debug
"""
SRUN = """\
for word in "$@"; do
  case $word in --nodelist=*) node=${word#*=} ;; esac
done
case " $(cat "$STUB/busy" 2>/dev/null) " in
*" $node "*) echo "srun: error: Unable to allocate resources: $(cat "$STUB/why")" >&2 && exit 1 ;;
esac
case " $(cat "$STUB/broken" 2>/dev/null) " in
*" $node "*) echo "NCCL 2.28.7-1 is built for sm_90, but this node's GPUs are sm_100" >&2 && exit 64 ;;
esac
echo "NCCL 2.28.7-1 of /fsx/nccl is used"
echo "nothing to do: everything is as it should be"
"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, role="head", queue="", shared="/fsx", nccl_version="2.28.7-1")
    node.program("sinfo", f"cat <<'EOT'\n{NODES}EOT")
    node.program("srun", SRUN)
    return node


def apply(node: FakeNode, *queues: str) -> subprocess.CompletedProcess[str]:
    return run_script(node, "nccl/apply-nccl.sh", *queues)


def asked(node: FakeNode) -> list[str]:
    return sorted(word.partition("=")[2] for call in node.calls("srun") for word in call if "--nodelist" in word)


def test_every_node_that_runs_is_asked_once(node: FakeNode):
    ran = apply(node, "train")
    assert ran.returncode == 0, ran.stderr
    assert asked(node) == ["train-dy-gpu-1", "train-st-gpu-1", "train-st-gpu-2", "train-st-gpu-3"]


def test_each_node_has_a_line(node: FakeNode):
    lines = sorted(apply(node, "train").stdout.splitlines())
    assert [line.split(": ", 1)[0] for line in lines] == asked(node)
    assert all(line.endswith("nothing to do: everything is as it should be") for line in lines)


def test_a_job_runs_on_one_node_and_is_bounded(node: FakeNode):
    apply(node, "train")
    for call in node.calls("srun"):
        assert {"--nodes=1", "--ntasks=1", "--immediate=30", "--time=4"} <= set(call)
        assert call[-1] == "/opt/trainyard/current/steps/70-nccl.sh"
        assert not any("ALL" in word for word in call)


def test_several_queues_are_asked_for_at_once(node: FakeNode):
    apply(node, "train", "debug")
    assert "--partition=train,debug" in node.calls("sinfo")[0]


def test_each_node_is_asked_for_in_a_queue_that_it_is_in(node: FakeNode):
    apply(node, "train", "debug")
    assert "--format=%N %t %R" in node.calls("sinfo")[0]
    queues = {call[2].partition("=")[2]: call[1] for call in node.calls("srun")}
    assert queues == {
        "train-dy-gpu-1": "--partition=debug", "train-st-gpu-1": "--partition=train",
        "train-st-gpu-2": "--partition=train", "train-st-gpu-3": "--partition=train",
    }  # fmt: skip


def test_a_node_that_slurm_refuses_is_not_called_busy(node: FakeNode):
    (node.stub / "busy").write_text("train-st-gpu-3")
    (node.stub / "why").write_text("Requested nodes not in this partition")
    ran = apply(node, "train")
    assert "train-st-gpu-3: failed: srun: error: Unable to allocate resources: Requested nodes not in" in ran.stdout


@pytest.mark.parametrize("why", ["Requested nodes are busy", "Immediate execution impossible, insufficient priority"])
def test_a_busy_node_is_named_and_the_others_are_done(node: FakeNode, why: str):
    (node.stub / "busy").write_text("train-st-gpu-3")
    (node.stub / "why").write_text(why)
    ran = apply(node, "train")
    assert "run this again" in complaint(ran, 1)
    assert "train-st-gpu-3: busy, not done" in ran.stdout
    assert len(ran.stdout.splitlines()) == 4


def test_why_a_node_failed_is_said(node: FakeNode):
    (node.stub / "broken").write_text("train-st-gpu-2")
    ran = apply(node, "train")
    assert ran.returncode == 1
    assert "train-st-gpu-2: failed: NCCL 2.28.7-1 is built for sm_90, but this node's GPUs are sm_100" in ran.stdout


def test_where_no_node_runs_nothing_is_to_do(node: FakeNode):
    node.program("sinfo", "echo 'train-dy-gpu-1 idle~ train'")
    ran = apply(node, "train")
    assert ran.returncode == 0
    assert "no node of train runs" in ran.stdout
    assert node.calls("srun") == []


def test_a_slurm_that_does_not_answer_is_told(node: FakeNode):
    node.fail("sinfo", "slurm_load_partitions: Unable to contact slurm controller")
    assert "Slurm does not answer" in complaint(apply(node, "train"), 1)


@pytest.mark.parametrize("queue", ["ALL", "$(reboot)", "-N", ""])
def test_what_is_no_queue_is_told(node: FakeNode, queue: str):
    assert "is no name of a queue" in complaint(apply(node, queue), 64)
    assert node.calls() == []


def test_it_wants_a_queue(node: FakeNode):
    assert "usage" in complaint(apply(node), 64)
