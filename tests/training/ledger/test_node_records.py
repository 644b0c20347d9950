"""What trainyard prints of nodes becomes the time that they were paid for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainyard.errors import InputError
from trainyard.training.ledger.attempt import Attempt
from trainyard.training.ledger.ledger import outside_gpu_ms
from trainyard.training.ledger.node_records import NodeRecords, node_records

HOUR_MS = 3_600_000
NINE_MS = 1_795_510_800_000  # 2026-11-24T09:00Z


def node(id_: str = "i-1", **changed: Any) -> dict[str, Any]:
    known = {"id": id_, "hostname": "gpu-1", "role": "compute", "instance_type": "p5.48xlarge", "state": "running",
             "launched": "2026-11-24T09:00:00Z", "started": "2026-11-24T09:10:00Z", "seconds": 1200.0,
             "status": "ready"}  # fmt: skip
    return {**known, **changed}


def read(*nodes: dict[str, Any], gone: tuple[dict[str, Any], ...] = (), more: tuple[dict[str, Any], ...] = ()) -> Any:
    texts = [{"nodes": list(nodes), "gone": list(gone)}, *more]
    return node_records([(json.dumps(text), f"{at}.json") for at, text in enumerate(texts)], NINE_MS + 4 * HOUR_MS)


def outside_h(records: NodeRecords, *starts: Attempt) -> dict[str, float]:
    return {kind: spent / HOUR_MS / 8 for kind, spent in outside_gpu_ms(starts, records.spans).items()}


def test_a_node_boots_until_its_bootstrap_has_ended_and_is_idle_without_a_job() -> None:
    assert outside_h(read(node())) == {"boot": 0.5, "idle": 3.5, "repair": 0}
    job = Attempt("r", "7", 0, None, NINE_MS + HOUR_MS, NINE_MS + 3 * HOUR_MS, is_running=False,
                  state="COMPLETED", gpus={"gpu-1": 8})  # fmt: skip
    assert outside_h(read(node()), job) == {"boot": 0.5, "idle": 1.5, "repair": 0}


@pytest.mark.parametrize("status", ["failed", "held"])
def test_a_node_whose_bootstrap_failed_waits_for_its_repair(status: str) -> None:
    assert outside_h(read(node(status=status))) == {"boot": 0.5, "idle": 0, "repair": 3.5}


def test_a_node_that_was_replaced_is_repaired_from_then_on() -> None:
    replaced = {"instance_id": "i-1", "began": "2026-11-24T10:00:00Z", "ended": "2026-11-24T11:00:00Z"}
    former = node(launched=None, started="2026-11-24T09:00:00Z", state="gone")
    later = "2026-11-24T11:00:00Z"
    records = read(node("i-2", launched=later, started=later), gone=(former,), more=(replaced,))
    assert outside_h(records) == pytest.approx({"boot": 2 / 3, "idle": 2 / 3 + 5 / 3, "repair": 1})
    assert records.notes == ()


def test_a_node_of_which_nobody_knows_its_end_is_told_of_and_not_counted() -> None:
    records = read(gone=(node(),))
    assert records.spans == ()
    assert records.notes[0].startswith("1 node left out")


def test_a_node_that_still_comes_up_boots() -> None:
    assert outside_h(read(node(status="running", seconds=60))) == {"boot": 4, "idle": 0, "repair": 0}


def test_nodes_without_gpus_or_that_are_not_for_jobs_cost_no_gpu() -> None:
    assert read(node(role="head"), node("i-2", instance_type="m5.large"), node("i-3", instance_type=None)).spans == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"nodes": 3}', "[" * 9000])
def test_what_is_no_record_of_nodes_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        node_records([(text, "nodes.json")], NINE_MS)
