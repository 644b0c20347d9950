"""A bad node is replaced step by step: nothing is lost that nobody agreed to lose, and a killed call goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.edge.aws.in_memory import account_in_memory
from tests.operate.nodes.planted import BUCKET
from tests.operate.slurm.replaced_node import COMMANDS, OLD_GPU, Case, FakeSlurm, Killed
from trainyard.edge.aws import s3
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.replacement_record import ReplacementRecord, claim_successor, replacements
from trainyard.operate.slurm.node_commands import NodeCommands


@pytest.mark.parametrize("name", ["gpu-st-p5-48xlarge-1", "gpu-dy-p5-48xlarge-1"])
def test_a_node_is_held_drained_replaced_proven_and_given_back(make: Callable[..., Case], name: str):
    case = make(name)
    done = case.replace()
    assert (done.stage, done.instance_id, done.new_instance_id) == ("done", case.old, case.slurm.instance)
    assert not case.held
    assert len(case.slurm.commands) <= COMMANDS + 2 * ("-dy-" in name)  # which is started
    assert (done.gpus, done.network_nodes) == ((OLD_GPU,), ("nn-1", "nn-2"))
    verbs = [command for command in case.slurm.commands if command.startswith(("scontrol update", "scontrol create"))]
    assert verbs[0].startswith("scontrol create reservation")
    assert verbs[1] == f"scontrol update NodeName={name} State=DRAIN Reason=trainyard: Xid 79"
    stored = s3.get(case.account, BUCKET, done.evidence)
    assert stored is not None
    evidence = json.loads(stored.content)
    assert evidence["slurm"] == "Reason=Xid 79"
    assert evidence["instance"][0]["InstanceId"] == case.old
    assert str(evidence["node"]).startswith("not known: ")


def test_an_instance_id_names_the_node_as_well_and_other_names_are_refused(make: Callable[..., Case]):
    case = make()
    assert case.replace(case.old).stage == "done"
    for other in ("gpu-st-p5-48xlarge-9", "i-00000000", "$(reboot)"):
        with pytest.raises(InputError, match="has no compute node"):
            case.replace(other)
    case.slurm.state, case.slurm.name = "idle~", "gpu-dy-p5-48xlarge-2"
    case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
    with pytest.raises(InputError):
        case.replace("gpu-dy-p5-48xlarge-2")


def test_a_running_job_goes_on_until_somebody_lets_it_end(make: Callable[..., Case]):
    case = make(jobs=10**6)
    with pytest.raises(TrainyardError, match="gpu-st-p5-48xlarge-1 has jobs: job 7 of ada on 2 nodes") as refused:
        case.replace()
    assert "--end-jobs" in str(refused.value.hint)
    assert (case.held, case.slurm.state, case.stored()[0].stage) == (True, "idle", "held")
    with pytest.raises(TrainyardError, match="has jobs"):
        case.replace(wait_for_jobs_s=60)
    assert case.slurm.state == "idle"
    assert case.replace(end_jobs=True).stage == "done"
    assert any("State=DOWN" in command for command in case.slurm.commands)


def test_a_job_that_ends_in_time_is_waited_for_and_the_node_is_drained(make: Callable[..., Case]):
    case = make(jobs=3)
    assert case.replace(wait_for_jobs_s=600).stage == "done"
    assert not any("State=DOWN" in command for command in case.slurm.commands)
    assert "waits for job 7 of ada on 2 nodes" in case.told


@pytest.mark.parametrize(
    ("slurm", "problem"),
    [
        ({"gpus": [OLD_GPU]}, "stands on the same host"),
        ({"new_status": "failed"}, "the bootstrap of i-.* has failed"),
        ({"health": "gpu-ecc: `reboot`\x1b[2J"}, r"the health check of i-.* says \"gpu-ecc: 'reboot'\\x1b\[2J\""),
    ],
    ids=["same host", "failed bootstrap", "unhealthy"],
)
def test_a_successor_that_is_not_proven_stays_held(make: Callable[..., Case], slurm: dict[str, Any], problem: str):
    case = make(**slurm)
    with pytest.raises(TrainyardError, match=problem) as refused:
        case.replace()
    assert "scontrol delete ReservationName=trainyard-replace-gpu-st" in str(refused.value.hint)
    assert (case.held, case.stored()[0].stage) == (True, "proving")


def test_a_fleet_that_replaces_nothing_is_told_when_the_time_is_over(make: Callable[..., Case]):
    case = make()
    case.slurm.clustermgtd = lambda: None  # type: ignore[method-assign]  # it is stopped
    with pytest.raises(TrainyardError, match=r"in 60 s, i-.* is not replaced"):
        case.replace(timeout_s=60)
    assert (case.held, case.stored()[0].stage) == (True, "replacing")


@pytest.mark.parametrize("numbers", [(1, 5), pytest.param(range(COMMANDS), marks=pytest.mark.exhaustive)])
def test_a_call_that_is_killed_before_any_command_is_gone_on_with(make: Callable[..., Case], numbers: Sequence[int]):
    for number in numbers:
        case = make(f"gpu-st-p5-48xlarge-{number + 10}", dies_at=number)
        with pytest.raises(Killed):
            case.replace()
        done = case.replace()
        assert (done.stage, done.instance_id, done.new_instance_id) == ("done", case.old, case.slurm.instance), number
        assert not case.held
        drains = [command for command in case.slurm.commands if "State=DRAIN" in command]
        assert len(drains) == 1, number


def swapped(case: Case) -> str:
    """Let somebody else have the node replaced, and return the instance that has its name then."""
    case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
    case.slurm.launch()
    return case.slurm.instance


def drains(case: Case) -> int:
    return len([command for command in case.slurm.commands if "State=DRAIN" in command or "State=DOWN" in command])


def test_a_record_of_an_instance_that_is_gone_is_not_gone_on_with_on_the_next_one(make: Callable[..., Case]):
    case = make(jobs=10**6)
    with pytest.raises(TrainyardError, match="has jobs"):
        case.replace()
    case.slurm.reservations.clear()  # given back
    case.slurm.jobs = 0
    bad = swapped(case)
    case.slurm.new_gpus = ["GPU-00000003-0000-4000-8000-000000000000"]
    done = case.replace()
    assert (done.instance_id, done.new_instance_id) == (bad, case.slurm.instance)
    assert {record.stage for record in case.stored()} == {"done"}
    assert drains(case) == 1


def test_a_node_that_was_given_back_with_its_instance_has_its_jobs_looked_at_again(make: Callable[..., Case]):
    case = make()
    case.slurm.clustermgtd = lambda: None  # type: ignore[method-assign]  # it is stopped
    with pytest.raises(TrainyardError, match="is not replaced"):
        case.replace(timeout_s=60)
    case.slurm.reservations.clear()
    case.slurm.state, case.slurm.jobs = "idle", 10**6
    with pytest.raises(TrainyardError, match="has jobs"):
        case.replace()
    assert (drains(case), case.held, case.stored()[0].stage) == (1, True, "held")
    assert any("begins anew" in line for line in case.told)


def test_a_held_node_that_something_else_replaced_is_proven_and_not_replaced_again(make: Callable[..., Case]):
    case = make(jobs=10**6)
    with pytest.raises(TrainyardError, match="has jobs"):
        case.replace()
    case.slurm.jobs = 0
    successor = swapped(case)
    done = case.replace()
    assert (done.instance_id, done.new_instance_id, drains(case)) == (case.old, successor, 0)
    assert not case.held


def test_one_instance_takes_the_place_of_one_node_only():
    with account_in_memory() as account:
        s3.make_bucket(account, BUCKET)
        one, other = (ReplacementRecord(f"i-{number:017x}", "n", "p5.48xlarge", "Xid 79", "") for number in (1, 2))
        asked = [claim_successor(account, BUCKET, "llm", record, f"i-{9:017x}") for record in (one, other, one)]
        assert asked == [True, False, True]
        assert claim_successor(account, BUCKET, "llm", other, f"i-{8:017x}")


def test_a_successor_that_is_replaced_before_it_is_proven_gives_way_to_its_own(make: Callable[..., Case]):
    case = make(health="gpu-ecc")
    with pytest.raises(TrainyardError, match="the health check"):
        case.replace()
    case.slurm.health = ""
    assert case.replace().new_instance_id == case.slurm.instance
    case = make("gpu-st-p5-48xlarge-2", health="gpu-ecc")
    with pytest.raises(TrainyardError, match="the health check"):
        case.replace()
    case.slurm.health = ""
    second = swapped(case)
    done = case.replace()
    assert (done.instance_id, done.new_instance_id, drains(case)) == (case.old, second, 1)


@pytest.mark.parametrize("named", ["name", "id"])
def test_a_call_that_was_killed_after_the_node_was_given_back_replaces_nothing_more(
    make: Callable[..., Case], named: str
):
    case = make()
    done = case.replace()
    (stored,) = replacements(case.account, BUCKET, "llm")
    stored.change(replace(done, stage="proving", ended=""))
    again = case.replace(case.old if named == "id" else None)
    assert (again.stage, again.new_instance_id, drains(case)) == ("done", done.new_instance_id, 1)
    assert not case.held


def test_what_is_no_name_of_a_node_never_reaches_a_command():
    for name in ("", "a b", "a;reboot", "$(x)", "-all"):
        with pytest.raises(TrainyardError, match="is no name of a node"):
            NodeCommands(FakeSlurm, name)  # type: ignore[arg-type]  # nothing is run
