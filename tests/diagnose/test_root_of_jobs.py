"""What comes first where a job failed: the exception of the program, or the node that died, and not its echo."""

from __future__ import annotations

import pytest

from trainyard.api.diagnose import diagnose_files

WATCHDOG = "".join(
    f"[rank{n}]:[E321 14:27:08.4 ProcessGroupNCCL.cpp:607] [Rank {n}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=3, NumelOut=3, Timeout(ms)=600000) ran for 600004 milliseconds "
    "before timing out.\n"
    for n in range(4)
)
EXCEPTION = """[rank3]: Traceback (most recent call last):
[rank3]:     x = batch['attention_mask']
[rank3]: KeyError: 'attention_mask'
"""
SRUN = "srun: error: q-st-p5-1: task 3: Exited with exit code 1\n"
XID = "2026-03-21T14:16:48Z q-st-p5-1 kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus.\n"


def tree(folder, **logs: str) -> dict[str, list[str]]:
    for name, text in logs.items():
        (folder / ("slurm-41.out" if name == "job" else name)).write_text(text)
    return {
        cause.cause.id: [other.cause.id for other in cause.consequences] for cause in diagnose_files(str(folder)).causes
    }


@pytest.mark.parametrize("clock", ["14:26:00", "14:18:00"], ids=["68 seconds before", "9 minutes before"])
def test_a_node_that_was_given_up_explains_the_timeouts_after_it(tmp_path, clock):
    down = f"[2026-03-21T{clock}.101] error: Nodes q-st-p5-[3-4] not responding, setting DOWN\n"
    assert tree(tmp_path, job=WATCHDOG, slurmctld=down) == {"slurm-node-set-down": ["nccl-watchdog-timeout"]}


def test_an_exception_of_the_program_explains_timeouts_and_exit_codes(tmp_path):
    found = tree(tmp_path, job=EXCEPTION + WATCHDOG + SRUN)
    assert list(found) == ["program-exception"]
    assert set(found["program-exception"]) == {"nccl-watchdog-timeout", "job-process-failed"}


def test_an_exception_of_the_program_never_outranks_what_says_what_failed(tmp_path):
    assert next(iter(tree(tmp_path, job=EXCEPTION + WATCHDOG + SRUN, messages=XID))) == "gpu-fell-off-bus"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("ModuleNotFoundError: No module named 'megatron'", "python-module-missing"),
        ("./all_reduce_perf: error while loading shared libraries: libmpi.so.40: cannot open shared object file",
         "shared-library-missing"),
        ("python: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by python)", "c-library-too-old"),
        ("[q-st-p5-1:412  :0:977] Caught signal 11 (Segmentation fault: address not mapped)", "process-segfaulted"),
        ("OSError: [Errno 12] Cannot allocate memory", "memory-not-given"),
        ("OSError: [Errno 37] No locks available", "file-locks-unavailable"),
    ],
)  # fmt: skip
def test_a_rank_that_could_not_run_explains_the_timeouts_of_the_others(tmp_path, line, cause):
    found = tree(tmp_path, job=f"{line}\n{WATCHDOG}{SRUN}")
    assert list(found) == [cause]
    assert "nccl-watchdog-timeout" in found[cause]


def test_a_lack_of_memory_that_says_no_more_is_put_down_to_what_the_kernel_says(tmp_path):
    oom = "2026-03-21T14:16:48Z q-st-p5-1 kernel: Out of memory: Killed process 48110 (python) total-vm:9kB\n"
    found = tree(tmp_path, job="OSError: [Errno 12] Cannot allocate memory\n", messages=oom)
    assert found == {"host-out-of-memory": ["memory-not-given"]}


def test_unusual_lines_are_shown_where_the_first_cause_is_only_a_consequence(tmp_path):
    (tmp_path / "slurm-41.out").write_text(f"frobnicator: fatal error\nINFO: 0 errors, 0 failed\nno errors\n{WATCHDOG}")
    diagnosis = diagnose_files(str(tmp_path))
    assert [cause.cause.id for cause in diagnosis.causes] == ["nccl-watchdog-timeout"]
    assert [unusual_line.text for unusual_line in diagnosis.unrecognised] == ["frobnicator: fatal error"]


def test_colours_hide_neither_time_nor_host(tmp_path):
    (tmp_path / "messages").write_text(f"\x1b[0;31m\x1b[1m{XID}")
    (found,) = diagnose_files(str(tmp_path)).causes
    assert (found.by_node, str(found.first_seen)) == ({"q-st-p5-1": 1}, "2026-03-21 14:16:48+00:00")


def test_a_line_in_a_file_that_is_mostly_binary_is_found_and_the_file_named(tmp_path):
    (tmp_path / "crashed.log").write_bytes(b"\x01\x02\x03\x04" * 3000 + b"\n" + XID.encode() + b"\x01\x02" * 500)
    diagnosis = diagnose_files(str(tmp_path / "crashed.log"))
    assert [cause.cause.id for cause in diagnosis.causes] == ["gpu-fell-off-bus"]
    assert "mostly binary" in diagnosis.unread[0].why
