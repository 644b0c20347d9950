"""What lines of several ranks and nodes tell together."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest

from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.cause import Hit, causes, signatures
from trainyard.diagnose.reasoning.facts import facts, vocabulary

_START = dt.datetime(2026, 6, 3, 10, tzinfo=dt.UTC)
_ALL = "PG ID 0 PG GUID 0(default_pg)"


def of_texts(*texts: str, is_complete: bool = True, signature: str = "watchdog-detected-exception") -> Sequence[str]:
    hits = [Hit(signature, "log", line, text, None, None) for line, text in enumerate(texts, 1)]
    return facts(signatures()[signature][1], hits, is_complete=is_complete)


def timeout(rank: int, last: int, work: int = 912, group: str = _ALL) -> str:
    return (
        f"[rank{rank}]:[E1104] [{group} Rank {rank}] Exception (either an error or timeout) detected by watchdog at"
        f" work: {work}, last enqueued NCCL work: {last}, last completed NCCL work: 911."
    )


def operation(rank: int, name: str, group: str = f"{_ALL} ") -> str:
    return f"[{group}Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=912, OpType={name}, x)"


def test_the_rank_that_has_begun_fewer_collectives_is_named():
    (fact,) = of_texts(timeout(0, 914), timeout(1, 914), timeout(2, 912), timeout(3, 913))
    assert fact.startswith("Rank 2 had begun no collective after 912 when 912 timed out, others had begun up to 914")


def test_ranks_of_which_most_are_as_far_or_that_waited_for_different_collectives_tell_nothing():
    assert of_texts(timeout(0, 912), timeout(1, 912), timeout(2, 914)) == ()
    assert of_texts(timeout(0, 914), timeout(1, 914), timeout(2, 45, work=44)) == ()
    assert of_texts(timeout(0, 914), timeout(1, 914), timeout(2, 912, group="PG ID 3 PG GUID 7(tp)")) == ()


def test_ranks_that_call_different_collectives_by_the_same_number_are_named():
    (fact,) = of_texts(operation(0, "ALLREDUCE"), operation(1, "ALLREDUCE"), operation(2, "BROADCAST"))
    assert fact.startswith("Collective 912 is ALLREDUCE on ranks 0-1, BROADCAST on rank 2: ")
    assert of_texts(operation(0, "ALLREDUCE", ""), operation(2, "BROADCAST", "")) == ()


def test_the_rank_that_does_not_report_the_timeout_is_named_where_no_line_is_left_out():
    lines = [timeout(rank, 914) for rank in (0, 1, 3, 4)]
    (fact,) = of_texts(*lines)
    assert fact.startswith("Rank 2 did not report the timeout, and all others up to 4 did")
    assert of_texts(*lines, is_complete=False) == ()
    assert of_texts(*[timeout(rank, 914, group="PG ID 3 PG GUID 7(tp)") for rank in (0, 1, 3, 4)]) == ()


def test_numbers_that_no_program_writes_do_no_harm():
    lines = [timeout(rank, 914) for rank in (0, 1, 2)]
    assert of_texts(*lines, timeout(999_999, 914)) == ()
    assert of_texts(*lines, lines[0].replace(" 0]", f" {'9' * 5000}]").replace("914", "9" * 5000)) == ()
    (fact,) = of_texts(*[timeout(rank, 914 - (rank % 3 == 0)) for rank in range(90)])
    assert fact.startswith("Ranks 0, 3, 6, 9, 12, 15, 18, 21, … had begun")


def test_the_rank_that_is_behind_is_found_among_many_of_one_log(tmp_path: Path):
    log = tmp_path / "slurm-7.out"
    log.write_text("".join(f"{timeout(rank, 911 if rank == 41 else 914)}\n" for rank in range(64)))
    first = diagnose_files(str(log)).causes[0]
    assert first.count == 64
    assert [fact for fact in first.facts if fact.startswith("Rank 41 had begun no collective after 911")]


def test_an_xid_that_has_no_signature_of_its_own_is_told_with_what_its_maker_asks_for():
    line = "NVRM: Xid (PCI:0000:53:00): {}, pid=1, name=python3"
    (fact,) = of_texts(line.format(37), signature="gpu-xid-any")
    assert fact == "Xid 37 is 'driver firmware error' in NVIDIA's catalogue; what to do: nothing."
    assert of_texts(line.format(9999), signature="gpu-xid-any") == ()
    assert of_texts(line.format(79), signature="xid-79") == ()


def test_what_begins_on_several_nodes_at_once_is_told_of_deep_causes_only():
    def of_nodes(cause: str, *seconds: int) -> tuple[str, ...]:
        hits = [
            Hit("x", "log", 1, "", _START + dt.timedelta(seconds=after), f"node-{node}")
            for node, after in enumerate(seconds)
        ]
        return facts(causes()[cause], hits, is_complete=True)

    assert of_nodes("iam-permission-missing", 0, 4, 30)[0].startswith("It began on 3 nodes within 30 seconds: ")
    assert of_nodes("iam-permission-missing", 0, 4, 31) == ()
    assert of_nodes("iam-permission-missing", 0, 4) == ()
    assert of_nodes("nccl-watchdog-timeout", 0, 4, 5) == ()


def test_facts_are_part_of_the_answer(tmp_path: Path):
    log = tmp_path / "slurm-7.out"
    log.write_text("".join(f"{timeout(rank, 913 + (rank != 2))}\n" for rank in range(4)))
    (first,) = diagnose_files(str(log)).causes
    assert [fact.partition(" had")[0] for fact in first.facts] == ["Rank 2"]


@pytest.mark.parametrize(("cause", "text", "behind", "said"), [
    ("job-process-failed", "srun: error: p5-dy-1: task 2: Exited with exit code 137", "", "Exit status 137 is SIGKILL"),
    ("job-process-failed", "failed (exitcode: -11) local_rank: 3", "", "Exit status -11 is SIGSEGV"),
    ("chef-error", "had an error: Expected process to exit with [0]", "but received '127'", "Exit status 127 is a"),
    ("program-exception", "OSError: [Errno 122] Disk quota exceeded", "", "Errno 122 is a quota"),
    ("aws-api-error", "An error occurred (403) when calling the HeadObject operation", "", "HTTP status 403 is"),
])  # fmt: skip
def test_what_leaves_open_what_is_wrong_is_told_by_the_values_in_it_or_behind_it(cause, text, behind, said):
    hit = Hit("line", "log", 1, text, None, None, behind)
    assert [one[: len(said)] for one in facts(causes()[cause], [hit, hit], is_complete=True)] == [said]


def test_a_cause_that_asks_for_nothing_and_a_value_that_nobody_explains_tell_nothing():
    hit = Hit("line", "log", 1, "Exited with exit code 137", None, None)
    assert facts(causes()["gpu-fell-off-bus"], [hit], is_complete=True) == ()
    assert facts(causes()["job-process-failed"], [hit._replace(text="exit code 1")], is_complete=True) == ()


def test_every_value_is_explained_in_a_sentence_that_names_it():
    said = [(value, says) for fact in vocabulary().values() for value, says in fact.says.items()]
    assert [says for value, says in said if f" {value} is " not in says or not says.endswith(".")] == []
