"""Lines that leave open what is wrong, and the values and neighbours that decide it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.log_cases import FACT_CASES, shows
from tests.each_case import each_case
from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.cause import causes
from trainyard.diagnose.reasoning.facts import vocabulary
from trainyard.diagnose.reasoning.node_share import ALL, ALL_AT_ONCE, ALL_SINCE_START, FEW, SOME


@each_case("case", FACT_CASES)
def test_the_answer_is_that_of_the_value_that_decides(case: dict[str, Any], tmp_path: Path):
    log = tmp_path / case["id"] / case["stream"]
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"{line}\n" for line in case["lines"]))
    diagnosis = diagnose_files(str(log))
    first = diagnosis.causes[0]
    assert shows(case, (hit.text for hit in first.evidence[:2]))
    answer = " ".join([first.cause.title, first.cause.explanation, first.cause.remedy, *first.facts]).lower()
    conflicts = [conflict.incompatibility for conflict in diagnosis.version_conflicts]
    answer += " ".join(conflict.finding().message for conflict in conflicts)
    assert [word for word in case["says"] if word in answer]
    assert not (case.get("unsure") and first.confidence == "certain")
    if "versions" in case:
        assert {stated.component: stated.version for stated in diagnosis.versions} == case["versions"]
        assert [conflict.case for conflict in conflicts] == ([case["conflict"]] if case["conflict"] else [])


_WRITER = "RuntimeError: [enforce fail at inline_container.cc:471] . PytorchStreamWriter failed writing file data/3"
_CALL = "botocore.exceptions.ClientError: An error occurred ({}) when calling the UploadPart operation: {}"


@pytest.mark.parametrize(("lines", "cause"), [
    ([_WRITER, "write: errno 28"], "disk-full"),
    ([_WRITER, "write: errno 13"], "job-file-not-permitted"),
    ([_WRITER, "write: errno 122"], "disk-quota-exceeded"),
    ([_WRITER, "write: errno 28", "", "epoch 3", _WRITER, "write: errno 28"], "disk-full"),
    ([_WRITER, "write: errno 28", "x" * 300, _WRITER, "write: errno 13"], "checkpoint-not-written"),
    ([_WRITER, "write: errno 28", "x" * 300, _WRITER], "checkpoint-not-written"),
    ([_WRITER, "write: errno 71"], "checkpoint-not-written"),
    ([_CALL.format(503, "Slow Down")], "aws-requests-throttled"),
    ([_CALL.format(403, "Forbidden")], "aws-api-error"),
])  # fmt: skip
def test_a_value_that_all_lines_have_decides_what_they_are_of(lines: list[str], cause: str, tmp_path: Path):
    log = tmp_path / "slurm-3.out"
    log.write_text("".join(f"{line}\n" for line in lines))
    (first,) = diagnose_files(str(log)).causes
    assert (first.cause.id, first.confidence) == (cause, "likely")


_GATHERED = "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect"
_REFUSED = "[c10d] The client socket has failed to connect to [ip-10-0-1-17]:29500 (errno: 111 - Connection refused)."
_FETCH = "Failed to download OnNodeConfigured script 0 https://example.com/setup.sh, return code: {}"


@pytest.mark.parametrize(("lines", "fact"), [
    ([_REFUSED, _GATHERED], "Errno 111 is"),
    ([_REFUSED, "Errno 5", _GATHERED, "OSError: [Errno 113] No route to host"], "Errno 113 is"),
    ([_REFUSED, "", _GATHERED], None),
    ([_FETCH.format(404)], "HTTP status 404 is"),
    ([_FETCH.format(1)], None),
    (["GPU status: 503 MHz", _FETCH.format(1)], None),
    (["step status 404 of 1000", _FETCH.format(1)], None),
    (["HTTP status 403", _FETCH.format(1)], "HTTP status 403 is"),
    (["curl: (22) The requested URL returned error: 404", _FETCH.format(1)], "HTTP status 404 is"),
    (["error: [job 77] prolog failed status=127:0"], "Exit status 127 is"),
    (["error: [job 77] prolog failed status=1:0"], None),
])  # fmt: skip
def test_a_value_is_looked_for_in_the_line_and_then_in_its_neighbours(
    lines: list[str], fact: str | None, tmp_path: Path
):
    log = tmp_path / "slurm-3.out"
    log.write_text("".join(f"{line}\n" for line in lines))
    (first,) = diagnose_files(str(log)).causes
    assert [told[: len(fact)] for told in first.facts] == [fact] if fact else first.facts == ()


def test_what_a_value_means_is_a_cause_and_a_value_that_is_asked_for():
    for cause in causes().values():
        assert {*cause.means.values()} <= {*causes()}
        values = {value for id_ in cause.facts for value in vocabulary()[id_].says}
        assert {*cause.means} <= values | {ALL_SINCE_START, ALL_AT_ONCE, ALL, FEW, SOME}
