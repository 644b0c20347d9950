"""What DCGM's quick diagnostics say, level 1, where DCGM is installed.

Level 2 takes minutes and is a job of its own: as part of a prolog it kept nodes from their jobs, in
https://github.com/aws/aws-parallelcluster/issues/6777.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard_node.errors import NodeError
from trainyard_node.health.gpu_answers import RESET, absent, has_gpus
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome
from trainyard_node.processes import NOT_FOUND, TIMED_OUT

NAME = "gpu-dcgm"
# Level 1 lasts "seconds"; all checks together have ten.
DEADLINE_S = 8.0
SOURCE = "https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html"
MIG_SOURCE = "https://github.com/aws/aws-parallelcluster-cookbook/pull/3183"
# dcgmErrorSeverity_t: none, monitor ("can perform workload"), and config ("can be configured").
# https://github.com/NVIDIA/DCGM/blob/master/dcgmlib/dcgm_errors.h
_MILD = {0, 1, 5}
# What gpu-ecc and gpu-row-remap judge, and call no failure by itself: uncorrected errors (4), and pages and rows that
# wait for a reset (6, 83 to 85). DCGM 4 names them by number, DCGM 3 by words: dcgmError_t and its messages in
# https://github.com/NVIDIA/DCGM/blob/master/dcgmlib/dcgm_errors.h
_WAITING = {4, 6, 83, 84, 85}
_WAITING_WORDS = ("row remappings are pending", "pending retired page")
# What DCGM 3 calls its document, and DCGM 4.
_DOCUMENTS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")


def check(machine: Machine) -> list[Outcome]:
    """Run the diagnostics of the host engine that runs already."""
    if not has_gpus(machine):
        return [absent(NAME)]
    ran = machine.world.processes.run(["dcgmi", "diag", "-r", "1", "-j"], DEADLINE_S)
    if ran.status == NOT_FOUND:
        return [Outcome(NAME, "absent", "DCGM is not installed")]
    if ran.status == TIMED_OUT:
        message = f"DCGM's diagnostics, level 1, took longer than {DEADLINE_S:g} s"
        return [Outcome(NAME, "unknown", message, "", "run 'dcgmi diag -r 1' by hand", SOURCE)]
    tests = list(_tests(_document(ran.output)))
    if not tests:
        return [_no_answer(machine, ran.output)]
    fine = Outcome(NAME, "ok", f"level 1: {len(tests)} tests without a failure", "", "", SOURCE)
    return [outcome for test in tests for outcome in _of(test)] or [fine]


def _no_answer(machine: Machine, output: str) -> Outcome:
    if _is_divided(machine):
        return Outcome(NAME, "absent", "DCGM's diagnostics do not support GPUs with MIG", "", "", MIG_SOURCE)
    excerpt = " ".join(output.split())[:200] or "nothing"
    remedy = "see that nvidia-dcgm.service runs, and run 'dcgmi diag -r 1' by hand"
    return Outcome(NAME, "unknown", f"DCGM gave no results, but said: {excerpt}", "", remedy, SOURCE)


def _is_divided(machine: Machine) -> bool:
    try:
        return any(gpu.mig for gpu in machine.gpus().gpus)
    except NodeError:
        return False


def _document(output: str) -> Mapping[str, Any]:
    """Return the document, which other lines may stand around, or an empty one."""
    try:
        whole = json.loads(output[output.find("{") : output.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    documents = [whole[name] for name in _DOCUMENTS if isinstance(whole, dict) and isinstance(whole.get(name), dict)]
    return documents[0] if documents else {}


def _tests(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    # DCGM writes null where a test has nothing to say.
    for category in _objects(document.get("test_categories")):
        yield from _objects(category.get("tests"))


def _of(test: Mapping[str, Any]) -> Iterator[Outcome]:
    name = str(test.get("name", "a test"))
    for result in _objects(test.get("results")):
        status = str(result.get("status", "")).lower()
        if status in {"fail", "warn"}:
            yield _outcome(name, result, hard=status == "fail" and not _is_mild(name, result))


def _outcome(name: str, result: Mapping[str, Any], *, hard: bool) -> Outcome:
    warnings = result.get("warnings") or []
    texts = [str(object_["warning"]) if "warning" in object_ else "" for object_ in _objects(warnings)]
    texts += [text_ for text_ in ([warnings] if isinstance(warnings, str) else warnings) if isinstance(text_, str)]
    # DCGM 4 names one entity, DCGM 3 numbers with commas between them.
    gpu = result.get("entity_id", result.get("gpu_ids", ""))
    message = f"{name}: {' '.join(' '.join(texts).split())[:300] or 'failed without a reason'}"
    mild = "see gpu-ecc and gpu-row-remap" if _waits(result) else "change that setting; the GPU itself can do its work"
    remedy = RESET if hard else mild
    return Outcome(NAME, "failed" if hard else "warning", message, f"gpu {gpu}" if gpu != "" else "", remedy, SOURCE)


def _is_mild(name: str, result: Mapping[str, Any]) -> bool:
    """Say whether all that a test complains of is a setting, such as persistence mode. DCGM 3 gives no severity."""
    warnings = _objects(result.get("warnings"))
    if warnings:
        return all(
            warning.get("error_severity") in _MILD or warning.get("error_id") in _WAITING for warning in warnings
        )
    return name.lower().startswith("persistence") or _waits(result)


def _waits(result: Mapping[str, Any]) -> bool:
    """Say whether a test complains of memory alone that a reset will put right, while jobs may run."""
    warnings = result.get("warnings")
    listed = [warnings] if isinstance(warnings, str) else warnings if isinstance(warnings, list) else []
    return bool(listed) and all(_is_waiting(item) for item in listed)


def _is_waiting(warning: object) -> bool:
    if isinstance(warning, dict):
        return warning.get("error_id") in _WAITING
    return isinstance(warning, str) and any(words in warning for words in _WAITING_WORDS)


def _objects(values: object) -> list[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
