"""DCGM's quick diagnostics. The two forms of its answer are those of DCGM 3 and DCGM 4.

https://github.com/NVIDIA/DCGM/blob/master/nvvs/include/NvvsCommon.h
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.node.health.gpus import eight, gpu, nodes_without_gpus, p5
from tests.node.health.node import Node
from trainyard_node.health.gpu_dcgm import check
from trainyard_node.processes import NOT_FOUND, TIMED_OUT


def version_3(name: str, **result: Any) -> str:
    tests = [{"name": "NVML Library", "results": [{"gpu_ids": "0,1", "status": "PASS"}]}, None]
    tests += [{"name": name, "results": [{"gpu_ids": "0,1,2,3,4,5,6,7", **result}]}]
    category = {"category": "Deployment", "tests": tests}
    return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [category], "version": "3.3.5"}})


def version_4(**result: Any) -> str:
    results = [{"entity_group": "GPU", "entity_id": index, "status": "Pass"} for index in range(8)]
    results[3] = {"entity_group": "GPU", "entity_id": 3, **result}
    tests = [{"name": "software", "results": results, "test_summary": {"status": result["status"]}}]
    category = {"category": "Deployment", "tests": tests}
    return json.dumps({"DCGM Diagnostic": {"test_categories": [category]}, "metadata": {"version": "4.4.1"}})


def warning(text: str, severity: int) -> list[dict[str, Any]]:
    return [{"warning": text, "error_id": 29, "error_category": 8, "error_severity": severity}]


@pytest.mark.parametrize("answer", [version_3("Denylist", status="PASS"), version_4(status="Pass")])
def test_passed_tests_are_well(node: Node, answer: str):
    node.says("dcgmi", answer)
    (outcome,) = check(p5(node))
    assert outcome.status == "ok"
    assert node.processes.commands == [["dcgmi", "diag", "-r", "1", "-j"]]


def test_a_failure_is_one_of_the_gpu_that_it_names(node: Node):
    node.says("dcgmi", version_4(status="Fail", warnings=warning("GPU 3 has uncorrectable errors", 2)), 226)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device) == ("failed", "gpu 3")
    assert outcome.message == "software: GPU 3 has uncorrectable errors"


def test_a_failure_of_version_3_names_its_test(node: Node):
    node.says("dcgmi", version_3("Page Retirement/Row Remap", status="FAIL", warnings=["row remap failed"]), 226)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device) == ("failed", "gpu 0,1,2,3,4,5,6,7")
    assert outcome.message == "Page Retirement/Row Remap: row remap failed"


def test_a_setting_such_as_persistence_mode_is_a_warning(node: Node):
    node.says("dcgmi", version_4(status="Fail", warnings=warning("Persistence mode for GPU 3 is disabled.", 5)), 226)
    assert [outcome.status for outcome in check(p5(node))] == ["warning"]
    node.says("dcgmi", version_3("Persistence Mode", status="FAIL", warnings="it is disabled"), 226)
    (found,) = check(p5(node))
    assert (found.status, found.message) == ("warning", "Persistence Mode: it is disabled")


def waiting(error_id: int) -> list[dict[str, Any]]:
    return [{"warning": "pending", "error_id": error_id, "error_category": 10, "error_severity": 2}]


@pytest.mark.parametrize(
    "answer",
    [
        *(version_4(status="Fail", warnings=waiting(number)) for number in (4, 6, 83, 84, 85)),
        version_3("Memory", status="FAIL", warnings=["GPU 0 had memory errors and row remappings are pending"]),
        version_3("Memory", status="FAIL", warnings="A pending retired page has been detected in GPU 0."),
    ],
)
def test_memory_that_waits_for_a_reset_is_a_warning_as_it_is_for_the_checks_of_memory(node: Node, answer: str):
    node.says("dcgmi", answer, 226)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.remedy) == ("warning", "see gpu-ecc and gpu-row-remap")


def test_memory_that_waits_beside_a_row_that_cannot_be_remapped_is_a_failure(node: Node):
    node.says("dcgmi", version_4(status="Fail", warnings=waiting(85) + waiting(80)), 226)
    assert [outcome.status for outcome in check(p5(node))] == ["failed"]
    both = ["GPU 0 has row remappings are pending", "GPU 0 had a row remap failure"]
    node.says("dcgmi", version_3("Memory", status="FAIL", warnings=both), 226)
    assert [outcome.status for outcome in check(p5(node))] == ["failed"]


def test_a_setting_beside_real_trouble_is_a_failure(node: Node):
    both = warning("Persistence mode is disabled.", 5) + warning("a page cannot be retired", 2)
    node.says("dcgmi", version_4(status="Fail", warnings=both), 226)
    assert [outcome.status for outcome in check(p5(node))] == ["failed"]


def test_what_dcgm_itself_calls_a_warning_is_one(node: Node):
    node.says("dcgmi", version_4(status="Warn", warnings=warning("API call nvmlX failed", 4)))
    assert [outcome.status for outcome in check(p5(node))] == ["warning"]


def test_lines_around_the_answer_do_no_harm(node: Node):
    node.says("dcgmi", "WARNING: slow\n" + version_4(status="Pass") + "\nbye\n")
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


def test_a_node_without_dcgm_is_no_failure(node: Node):
    node.says("dcgmi", "dcgmi: No such file or directory", NOT_FOUND)
    assert [outcome.status for outcome in check(p5(node))] == ["absent"]


@pytest.mark.parametrize(
    "answer",
    ["", "\x00\xff", "{", "[]", "{}", '{"DCGM Diagnostic": 1}', '{"DCGM Diagnostic": {"test_categories": [1]}}',
     '{"DCGM Diagnostic": {"runtime_error": "no"}}', '{"a": ' + "[" * 100_000 + "}",
     "Error: unable to establish a connection to the specified host: localhost"],
)  # fmt: skip
def test_an_answer_without_results_is_unknown(node: Node, answer: str):
    node.says("dcgmi", answer, 1)
    (outcome,) = check(p5(node))
    assert outcome.status == "unknown"
    assert len(outcome.message) < 300
    assert "nvidia-dcgm" in outcome.remedy


def test_diagnostics_that_take_too_long_are_unknown(node: Node):
    node.says("dcgmi", "dcgmi took longer than 8 s", TIMED_OUT)
    assert [outcome.status for outcome in check(p5(node))] == ["unknown"]


def test_gpus_with_mig_are_nothing_that_dcgm_can_test(node: Node):
    node.says("dcgmi", "Error: MIG is enabled", 1)
    (outcome,) = check(p5(node, eight(gpu(0, mig=True))))
    assert (outcome.status, outcome.message) == ("absent", "DCGM's diagnostics do not support GPUs with MIG")


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
    assert node.processes.commands == []
