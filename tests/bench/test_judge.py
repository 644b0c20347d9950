"""Verdicts, and what they rest on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.figures import published_figures, run_of
from tests.bench.texts import CLOSING, HEADER, LOG, OPENING, P5_TWO_NODES, row, rows
from trainyard.bench.case import case_of, kinds
from trainyard.bench.judge import Judgement, judge
from trainyard.bench.nccl_log import parse_log
from trainyard.errors import InputError

# No line of these says what the person knew who named a machine beyond the catalog, or a collective.
NOT_TO_BE_KNOWN = {
    "b14-a3high-2n-allgather-tcpx", "b21-lambda-b200-2n", "b23-gh200-slingshot-2n-1gpu", "b24-gh200-slingshot-2n-good",
    "b33-g4dn-2n-efa", "b54-a100-3n-hdr-tail",
}  # fmt: skip


def judged(*lines: str, instance_type: str | None = "p5.48xlarge", nodes: int | None = 2) -> Judgement:
    (run,) = parse_log(["".join(f"{line}\n" for line in lines).encode()])
    return judge(case_of(run, instance_type, nodes))


def ids(judgement: Judgement) -> list[str]:
    return [finding.id for finding in judgement.findings]


def scaled(share: float, from_bytes: int = 0) -> list[str]:
    """Return the rows of two p5 with a share of their bandwidth, from a size on."""
    made = []
    for one in P5_TWO_NODES:
        size, count, *values = one
        factor = share if int(size) >= from_bytes else 1.0
        times = [float(values[index]) / factor for index in (0, 3)]
        each = [
            (f"{time:.2f}", f"{int(size) / time / 1e3:.2f}", f"{int(size) / time / 1e3 * 1.875:.2f}") for time in times
        ]
        made.append(row((size, count, *each[0], *each[1])))
    return made


@pytest.mark.parametrize(
    "case", [pytest.param(published_figure, id=published_figure["id"]) for published_figure in published_figures()]
)
def test_no_verdict_on_published_figures_is_wrong(case: dict[str, Any]):
    nodes = case["nodes"] if isinstance(case["nodes"], int) else None
    verdict = judge(case_of(run_of(case["run"]), case["instance_type"], nodes)).verdict
    assert verdict == ("unknown" if case["id"] in NOT_TO_BE_KNOWN else case["verdict"])


def test_a_good_run_is_healthy_without_a_word():
    judgement = judged(*OPENING, *HEADER, *rows(), *CLOSING)
    assert (judgement.verdict, judgement.findings) == ("healthy", ())


def test_the_list_of_ranks_says_how_many_nodes_there_were():
    judgement = judged(*OPENING, *HEADER, *rows(), *CLOSING, nodes=None)
    assert (judgement.case.nodes, judgement.case.gpus_per_node, judgement.verdict) == (2, 8, "healthy")


def test_gpus_tell_enough_where_they_are_as_fast_as_their_links():
    judgement = judged(*OPENING, *HEADER, *rows(), *CLOSING, instance_type=None, nodes=None)
    assert judgement.verdict == "healthy"
    slower = judged(*OPENING, *HEADER, *scaled(0.6), *CLOSING, instance_type=None, nodes=None)
    assert (slower.verdict, ids(slower)) == ("unknown", ["bench-nothing-to-compare"])


@pytest.mark.parametrize("share", [0.75, 0.5, 0.1])
def test_less_bandwidth_is_named_with_how_much_less(share: float):
    judgement = judged(*OPENING, *HEADER, *scaled(share), *CLOSING)
    assert judgement.verdict == "degraded"
    assert "bench-below-expectation" in ids(judgement)
    message = judgement.findings[0].message
    assert "that are expected (at least" in message
    assert "p5.48xlarge × 2 showed 487 GB/s" in message


def test_a_tenth_less_is_no_defect():
    assert judged(*OPENING, *HEADER, *scaled(0.9), *CLOSING).verdict == "healthy"


def test_what_is_slow_in_the_middle_and_good_at_the_end_is_said_and_healthy():
    slow = [*scaled(0.4)[:6], *rows()[6:]]
    judgement = judged(*OPENING, *HEADER, *slow, *CLOSING)
    assert (judgement.verdict, ids(judgement)) == ("healthy", ["bench-slow-to-rise"])


def test_bandwidth_that_falls_needs_no_knowledge_of_the_machine():
    judgement = judged(*OPENING[:3], *HEADER, *scaled(0.1, 2**30), *CLOSING, instance_type=None, nodes=None)
    assert judgement.verdict == "degraded"
    assert "bench-bandwidth-collapses" in ids(judgement)


def test_bandwidth_that_falls_names_where_it_was_better():
    judgement = judged(*OPENING[:3], *HEADER, *scaled(0.1, 2**30), *CLOSING, instance_type=None, nodes=None)
    (finding,) = (finding for finding in judgement.findings if finding.id == "bench-bandwidth-collapses")
    assert finding.message == "46.6 GB/s at 4,294,967,296 bytes, after 289.2 GB/s at 134,217,728 bytes"


def test_one_large_size_that_is_slower_than_those_beside_it_is_told_and_changes_no_verdict():
    slow = [
        other if line.split()[0] == str(2**30) else line for line, other in zip(scaled(1), scaled(0.1), strict=True)
    ]
    lines = (*OPENING[:3], *HEADER, *slow, *CLOSING)
    judgement = judged(*lines, instance_type=None, nodes=None)
    assert (
        judgement.verdict == judged(*OPENING[:3], *HEADER, *scaled(1), *CLOSING, instance_type=None, nodes=None).verdict
    )
    (finding,) = (finding for finding in judgement.findings if finding.id == "bench-one-size-slow")
    assert finding.severity == "info"
    assert " GB/s at 1,073,741,824 bytes alone, between " in finding.message


def test_a_sweep_on_cpus_is_held_against_nothing_however_its_figures_jump():
    opening = [line.replace("NVIDIA H100 80GB HBM3", "CPU, gloo of torch 2.13.0") for line in OPENING]
    judgement = judged(*opening, *HEADER, *scaled(0.1, 2**30), *CLOSING)
    assert (judgement.verdict, ids(judgement)) == ("unknown", ["bench-nothing-to-compare"])
    assert judgement.findings[0].message.startswith("it ran on CPUs: ")
    assert (judgement.findings[0].remedy or "").startswith("run the tests of `trainyard bench plan`")


def test_wrong_elements_break_a_run_however_fast_it_is():
    bad = [*rows()[:-1], row(P5_TWO_NODES[-1], "4")]
    judgement = judged(*OPENING, *HEADER, *bad, *CLOSING)
    assert (judgement.verdict, ids(judgement)) == ("broken", ["bench-wrong-results"])
    assert "8 elements were wrong, at 17,179,869,184 B" in judgement.findings[0].message


def test_results_out_of_bounds_break_a_run():
    closing = (CLOSING[0].replace("0 OK", "3 FAILED"), *CLOSING[1:])
    assert judged(*OPENING, *HEADER, *rows(), *closing).verdict == "broken"


def test_a_run_that_died_is_broken_with_the_line_that_says_why():
    died = "p5-dy-2: Test NCCL failure common.cu:1204 'remote process exited or there was a network error / '"
    judgement = judged(*OPENING, *HEADER, *rows()[:4], died)
    assert (judgement.verdict, ids(judgement)[0]) == ("broken", "bench-run-died")
    assert judgement.findings[0].line == len(OPENING) + len(HEADER) + 5


def test_a_run_that_stops_before_its_sizes_are_done_died():
    assert ids(judged(*OPENING, *HEADER, *rows()[:4]))[0] == "bench-run-died"


def test_a_run_without_results_is_broken_and_not_zero():
    judgement = judged(*OPENING, "slurmstepd: error: *** STEP 4.0 ON p5-dy-1 CANCELLED DUE TO TIME LIMIT ***")
    assert (judgement.verdict, ids(judgement)[0]) == ("broken", "bench-no-rows")


def test_sockets_are_named():
    log = [line.replace("network Libfabric", "network Socket") for line in LOG if "provider" not in line]
    judgement = judged(*OPENING, *log, *HEADER, *scaled(0.05), *CLOSING)
    assert "bench-over-sockets" in ids(judgement)


def test_missing_network_cards_are_counted():
    log = [line.replace("found 32 nics", "found 4 nics") for line in LOG]
    judgement = judged(*OPENING, *log, *HEADER, *rows(), *CLOSING)
    found = next(finding for finding in judgement.findings if finding.id == "bench-fewer-nics")
    assert found.message == "4 network cards were found, and p5.48xlarge has 32"


def test_a_network_without_gpudirect_is_named():
    log = [line.replace("/GDRDMA", "") for line in LOG]
    assert "bench-no-gpudirect" in ids(judged(*OPENING, *log, *HEADER, *rows(), *CLOSING))
    assert "bench-no-gpudirect" not in ids(judged(*OPENING, *LOG, *HEADER, *rows(), *CLOSING))


def test_a_variable_that_hurts_is_said_and_is_no_verdict():
    judgement = judged(*OPENING, *LOG, *HEADER, *rows(), *CLOSING)
    assert (judgement.verdict, ids(judgement)) == ("healthy", ["bench-setting-hurts"])
    assert "NCCL_PROTO is set to 'Simple'" in judgement.findings[0].message


def test_more_than_the_hardware_can_is_not_believed():
    judgement = judged(*OPENING, *HEADER, *scaled(1.4), *CLOSING)
    assert (judgement.verdict, ids(judgement)) == ("unknown", ["bench-impossible"])


def test_small_sizes_alone_are_not_judged():
    judgement = judged(*HEADER, *rows()[:4], CLOSING[1])
    assert (judgement.verdict, ids(judgement)) == ("unknown", ["bench-too-small"])


def test_one_rank_has_no_bus():
    line = "33554432  8388608  float  none  -1  19.56  1715.44  0.00  0  0.78  43046.10  0.00  N/A"
    judgement = judged(*OPENING[1:3], OPENING[5], line, *CLOSING, instance_type=None, nodes=None)
    assert (judgement.verdict, ids(judgement)) == ("unknown", ["bench-nothing-to-compare"])
    assert judgement.findings[0].message.startswith("one rank has no bus")
    assert (judgement.findings[0].remedy or "").startswith("run it on two GPUs and more")


def test_ranks_that_do_not_fit_the_nodes_are_refused():
    with pytest.raises(InputError, match="16 ranks cannot be spread evenly over 3 nodes"):
        judged(*OPENING, *HEADER, *rows(), *CLOSING, nodes=3)


def test_every_kind_of_finding_says_what_to_do_and_has_a_source():
    for id_, kind in kinds().items():
        assert kind.severity in {"error", "warning", "info"}
        assert kind.source.startswith("https://")
        assert id_.startswith("bench-")
