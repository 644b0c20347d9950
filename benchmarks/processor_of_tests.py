"""A plugin of pytest that writes the processor time of each test, with every process that it started; takes root.

    PYTHONPATH=benchmarks:src:. pytest -p processor_of_tests -n 3 --dist=loadfile -m "not exhaustive"

A worker moves into a control group of its own, which counts also what outlives a test. The files of all workers are in
.make/processor-of-tests: a line of JSON for each phase of a test, with its seconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

GROUPS = Path("/sys/fs/cgroup/cpuacct")
FOLDER = Path(__file__).parents[1] / ".make" / "processor-of-tests"


class Counter:
    """What this process and its children have used since the last look."""

    def __init__(self, worker: str) -> None:
        """Move this process into a group."""
        group = GROUPS / f"tests-{os.getpid()}"
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
        self._usage = group / "cpuacct.usage"
        self._before_s = 0.0
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._file = (FOLDER / f"{worker}-{os.getpid()}.jsonl").open("w", encoding="utf-8")

    def note(self, what: str) -> None:
        """Write what has been used."""
        now_s = int(self._usage.read_text()) / 1e9
        self._file.write(json.dumps([what, round(now_s - self._before_s, 4)]) + "\n")
        self._file.flush()
        self._before_s = now_s

    def pytest_collection_finish(self) -> None:
        """Imports and parameters of tests."""
        self.note("collection")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """A test with its fixtures."""
        self.note("between tests")
        yield
        self.note(item.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    """Count in workers, or in the only process."""
    worker = getattr(config, "workerinput", None)
    if worker is not None or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Counter(worker["workerid"] if worker else "main"))
