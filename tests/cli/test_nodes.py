"""nodes check and nodes watch on the command line, against an emulated account with a cluster planted in it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.in_account import run, started
from tests.operate.nodes.planted import FOLDER, GONE, failed, plant, put, record, step
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import SPEC
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

WHERE = ("llm", "--region", "us-east-2")
HOSTILE = "\x1b[2J\x1b]0;x\x07\u202ered\nsecond line"


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with seeded_account(SPEC) as made:
        s3.make_bucket(made, s3.own_bucket(made))
        yield made


@pytest.fixture(scope="module")
def ids(account: Account) -> tuple[str, str, str]:
    """The head node, the login node and the compute node of the cluster."""
    return plant(account, s3.own_bucket(account))


@pytest.fixture
def ready(account: Account, ids: tuple[str, str, str]) -> None:
    """Let all nodes have come up, and none have failed before."""
    head, login, compute = ids
    write(account, head, role="head", queue="", hostname="head-node")
    write(account, login, role="login", queue="", hostname="login-node")
    write(account, compute)
    s3.delete(account, s3.own_bucket(account), f"{FOLDER}/{GONE}.json")


def write(account: Account, instance_id: str, status: str = "ready", **more: Any) -> None:
    put(account, instance_id, record(instance_id, status, **more), s3.own_bucket(account))


@pytest.mark.usefixtures("ready")
def test_nodes_that_are_ready_are_a_table_and_exit_status_0(account: Account, ids: tuple[str, str, str]):
    status, out, err = run(account, "nodes", "check", *WHERE)
    assert (status, err) == (0, "")
    header, *rows, last = out.splitlines()
    assert header.split() == ["NODE", "INSTANCE", "ROLE", "STATE", "BOOTSTRAP", "SECONDS", "RELEASE", "STEP"]
    assert rows[1].split() == [
        "gpu-st-p5-48xlarge-1", ids[2], "queue", "gpu", "running", "ready", "42", "current", "-",
    ]  # fmt: skip
    assert last == "llm in us-east-2: 3 of 3 nodes ready, no findings"


@pytest.mark.usefixtures("ready")
def test_failures_are_exit_status_1_and_command_no_terminal(account: Account, ids: tuple[str, str, str]):
    write(account, ids[2], "failed", steps=[step(), failed(HOSTILE, "docker")])
    put(account, ids[1], b"\x1b[2J" * 1000, s3.own_bucket(account))
    status, out, err = run(account, "nodes", "check", *WHERE)
    assert (status, err) == (1, "")
    assert out.replace("\n", "").isprintable()
    assert 'docker: "\\x1b[2J\\x1b]0;x\\x07\\u202ered second line"' in out
    assert f"error: the record of {ids[1]} cannot be used: it is not JSON" in out
    assert "1 of 3 nodes ready, 2 errors" in out


@pytest.mark.usefixtures("ready")
def test_one_node_is_shown_step_by_step(account: Account, ids: tuple[str, str, str]):
    steps = [step("packages"), failed("no route", "nccl", required=False, attempts=5)]
    write(account, ids[2], steps=steps)
    status, out, _ = run(account, "nodes", "check", *WHERE, "--node", "gpu-st-p5-48xlarge-1")
    assert status == 0
    assert f"  {ids[2]}  packages           done         1.5 s\n" in out
    assert f'  {ids[2]}  nccl               failed       1.5 s, 5 attempts (optional)  "no route"\n' in out
    status, _, err = run(account, "nodes", "check", *WHERE, "--node", "i-12")
    assert status == 2
    assert "--node: error: llm has no node 'i-12'" in err


@pytest.mark.usefixtures("ready")
def test_the_json_of_check_holds_nodes_steps_what_is_gone_and_findings(account: Account, ids: tuple[str, str, str]):
    write(account, GONE, "failed", queue="cpu", steps=[failed(HOSTILE)])
    status, out, _ = run(account, "nodes", "check", *WHERE, "--json")
    found = json.loads(out)
    assert (status, found["schema"], found["ok"], found["ready"], found["release"]) == (1, 1, False, True, "a" * 64)
    (node,) = (node for node in found["nodes"] if node["id"] == ids[2])
    known = (node["group"], node["compute_resource"], node["status"], node["seconds"], node["release_is_current"])
    assert known == ("gpu", "p5-48xlarge", "ready", 41.5, True)
    assert node["steps"][0]["started"] == node["started"] == "2026-11-21T12:00:00+00:00"
    assert [(one["id"], one["state"], one["step"]) for one in found["gone"]] == [(GONE, "gone", "efa")]
    assert [finding["id"] for finding in found["findings"]] == ["failed-node-gone"]
    assert found["findings"][0].keys() >= {"severity", "message", "remedy", "source", "file", "path"}


@pytest.mark.usefixtures("ready")
def test_a_watch_tells_each_change_on_a_line_and_ends_with_the_nodes(account: Account, ids: tuple[str, str, str]):
    write(account, ids[2], "running", steps=[step("efa", "running")])
    watching = started(account, "nodes", "watch", *WHERE)
    for line in watching.stdout:
        if ids[2] in line:
            assert line.endswith(f"({ids[2]}) (queue gpu)  running  running: step efa\n")
            break
    write(account, ids[2])
    out, err = watching.communicate()
    assert (watching.returncode, err) == (0, "")
    assert f"({ids[2]}) (queue gpu)  running  ready\n" in out
    assert "all nodes are ready after " in out
    assert out.endswith("3 of 3 nodes ready, no findings\n")


@pytest.mark.usefixtures("ready")
def test_a_watch_ends_with_a_failure_and_prints_json_apart_from_its_events(account: Account, ids: tuple[str, str, str]):
    write(account, ids[2], "held", steps=[failed()])
    status, out, err = run(account, "nodes", "watch", *WHERE, "--json")
    found = json.loads(out)
    assert (status, found["schema"], found["ending"], found["ok"]) == (1, 1, "failed", False)
    assert 'held: step efa with exit status 69; the node says "no route to S3"' in err


@pytest.mark.usefixtures("ready")
def test_a_watch_that_is_interrupted_says_so_and_leaves_no_traceback(account: Account, ids: tuple[str, str, str]):
    write(account, ids[2], "running", steps=[step("efa", "running")])
    watching = started(account, "nodes", "watch", *WHERE)
    next(line for line in watching.stdout if ids[2] in line)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate()
    assert (watching.returncode, err) == (130, "interrupted: nothing was changed; nodes go on coming up\n")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("check", "nobody", "--region", "us-east-2"), 1, "there is no cluster nobody in us-east-2"),
        (("check", *WHERE, "--queue", "gup"), 2, "llm has no queue 'gup'; it has cpu, gpu, login"),
        (("watch", *WHERE, "--timeout", "0"), 2, "0 is not in the range x>=1"),
    ],
)
@pytest.mark.usefixtures("ready")
def test_what_cannot_be_done_is_one_line(account: Account, arguments: tuple[str, ...], status: int, said: str):
    ended, out, err = run(account, "nodes", *arguments)
    assert (ended, out, err.count("\n")) == (status, "", 1)
    assert said in err
