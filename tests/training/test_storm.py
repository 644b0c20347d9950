"""Storms: what the ledger makes of a simulated run is the truth that the simulation knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.each_case import each_case
from tests.program import run
from tests.training.test_run_render import SPEC, SPECS
from trainyard.api.run import new_run
from trainyard.training.ledger.ledger import ledger_of
from trainyard.training.storm import DAY_MS, Storm, simulated

STORMS = {
    "a small fleet": Storm(63, 8, 2.9, days=3),
    "Llama 3": Storm(2048, 8, 3.8, days=2),
    "failures faster than checkpoints": Storm(2048, 8, 40, days=1),
    "failures faster than starts": Storm(2048, 8, 4000, days=0.5),
    "no failures": Storm(2, 1, 0.0001, days=1),
    "checkpoints that take long": Storm(512, 8, 20, days=2, write_ms=600_000, load_ms=600_000),
}


def compare(storm: Storm) -> None:
    result = simulated(storm)
    found = ledger_of(result.attempts, result.sessions).gpu_ms()
    allocated = sum((start.end_ms - start.begin_ms) * start.gpu_count for start in result.attempts)
    assert sum(found.values()) == allocated == sum(result.truth_gpu_ms.values())
    for kind, taken in found.items():
        assert abs(taken - result.truth_gpu_ms.get(kind, 0)) <= 0.01 * allocated, kind


@each_case("storm", STORMS.values(), ids=STORMS)
def test_the_ledger_is_the_truth_and_adds_up(storm: Storm):
    compare(storm)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("nodes", [16, 256, 2048])
def test_every_month_of_storms_is_accounted_for(nodes: int, seed: int):
    compare(Storm(nodes, 8, 3.8, days=30, seed=seed))


def test_the_seed_says_everything():
    one, same, other = (simulated(STORMS["Llama 3"]._replace(seed=seed)) for seed in (1, 1, 2))
    assert one.truth_gpu_ms == same.truth_gpu_ms != other.truth_gpu_ms


def test_there_are_as_many_interruptions_as_the_rate_says():
    storm = Storm(2048, 8, 3.8, days=54, step_ms=60_000)  # of which 419 were published
    count = sum(sum(simulated(storm._replace(seed=seed)).faults.values()) for seed in range(5)) / 5
    # The run stands still while it is started again, when nothing strikes it.
    assert 380 <= count <= 440


def test_starts_that_a_script_has_ended_count_as_interruptions():
    result = simulated(Storm(512, 8, 10, days=5))
    ledger = ledger_of(result.attempts, result.sessions)
    told = sum(any(one.attempt == start.restart for one in result.sessions) for start in result.attempts[:-1])
    silent = len(result.attempts) - 1 - told
    assert sum(result.faults.values()) - silent <= ledger.interruptions <= sum(result.faults.values())
    assert ledger.interruptions > 10


def test_the_command_says_what_a_run_would_have_been_worth(tmp_path: Path):
    (tmp_path / "cluster.yaml").write_text(SPEC.format(platform=SPECS["parallelcluster"]))
    file = tmp_path / "run.yaml"
    file.write_text(new_run("fsdp").replace("nodes: 2", "nodes: 8"))
    done = run("lab", "storm", str(file), "--days", "5", "--rates", "b200-fleet", "--json")
    values = json.loads(done.out)
    assert (done.status, values["simulated"], values["rate"]["per_1000_node_days"]) == (0, True, 2.9)
    whole = 5 * DAY_MS * 8 * 8
    assert values["productive_share"] == pytest.approx(values["gpu_ms"]["productive"] / whole)
    assert values["usd_per_useful_gpu_hour"] > 5
    told = run("lab", "storm", str(file), "--days", "5").out
    assert "5 days on 8 nodes with 64 GPUs, simulated" in told


@pytest.mark.parametrize("text", ["", "per_1000_node_days: many", "per_1000_node_days: -1", "[1, 2]"])
def test_a_file_without_a_rate_is_refused(tmp_path: Path, text: str):
    (tmp_path / "cluster.yaml").write_text(SPEC.format(platform=SPECS["parallelcluster"]))
    (tmp_path / "run.yaml").write_text(new_run("fsdp"))
    (tmp_path / "rates.yaml").write_text(text)
    done = run("lab", "storm", str(tmp_path / "run.yaml"), "--rates", str(tmp_path / "rates.yaml"))
    assert (done.status, "has no failure rate" in done.err) == (2, True)


def test_a_rate_of_no_name_names_those_that_there_are(tmp_path: Path):
    (tmp_path / "cluster.yaml").write_text(SPEC.format(platform=SPECS["parallelcluster"]))
    (tmp_path / "run.yaml").write_text(new_run("fsdp"))
    done = run("lab", "storm", str(tmp_path / "run.yaml"), "--rates", "llama4")
    assert (done.status, "llama3, b200-fleet" in done.err) == (2, True)
