"""How many examples hypothesis tries, in which order files of tests run, and which part of them `--slice` keeps."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import xdist.scheduler  # type: ignore[import-untyped]  # it has no types
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests import aws_models

# No deadline: the first example pays for imports, and machines differ.
settings.register_profile("each-time", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exhaustive", max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "each-time"))

# The day of the last look at every fact: later, checks would add that the facts are old.
os.environ.setdefault("TRAINYARD_TODAY", "2026-11-22")

aws_models.read_once()
gc.disable()  # what is imported and collected stays; to look for what could go takes a tenth of the time

TESTS = Path(__file__).parent
LONGEST = (TESTS / "longest_files.txt").read_text(encoding="utf-8").split()
# They need ParallelCluster, which takes ten seconds of a processor to start, and most of them the same cluster, which
# takes as long to deploy: one process of pytest does it once.
OF_PARALLELCLUSTER = (
    "rehearsal/test_new_release.py",
    "rehearsal/test_connect.py",
    "rehearsal/test_diagnosed.py",
    "rehearsal/test_disturbed_deployments.py",
    "rehearsal/test_disturbed_updates.py",
    "rehearsal/test_kept_data.py",
    "rehearsal/test_live_updates.py",
    "rehearsal/test_monitor_verify.py",
    "rehearsal/test_pcluster.py",
    "rehearsal/test_replacement.py",
    "rehearsal/test_update_classification.py",
    "render/cloudformation/test_cfn_guard.py",
    "platforms/parallelcluster/adoption/test_adopted_cluster.py",
    "cli/test_nodes.py",
    "mission/test_pcl.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slice", metavar="PART/PARTS", help="of the exhaustive tests and of those by hypothesis, run one part alone"
    )


class FilesTogether(xdist.scheduler.LoadFileScheduling):  # type: ignore[misc]  # as above
    """Gives a worker whole files, and all that need ParallelCluster to the same."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return OF_PARALLELCLUSTER[0] if file.endswith(OF_PARALLELCLUSTER) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether | None:
    """Use it where `--dist=loadfile` is asked for."""
    return FilesTogether(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker of a run of all tests import other files first.

    In a new checkout a worker that imports a file compiles it, and those that come later read what it wrote: all
    together compile each file about once instead of each.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or [Path(argument).resolve() for argument in config.args] != [TESTS]:
        return
    number, workers = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for file in sorted(TESTS.rglob("test_*.py"))[number::workers]:
        with suppress(Exception):  # it is told where it belongs, when the file is collected
            import_module(".".join(("tests", *file.relative_to(TESTS).with_suffix("").parts)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left with one at the end."""
    rank = {file: number for number, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.relative_to(TESTS).as_posix(), len(rank)))
    if chosen := config.getoption("--slice"):
        part, parts = map(int, chosen.split("/"))
        sliced = [item for item in items if _is_exhaustive(item) and item.get_closest_marker("long") is None]
        kept = sliced[part % parts :: parts]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def pytest_collection_finish() -> None:
    """Let the collector of garbage look at what tests make, and seldom, and never again at what is there."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    gc.enable()


def _is_exhaustive(item: pytest.Item) -> bool:
    is_property = isinstance(item, pytest.Function) and is_hypothesis_test(item.function)
    return is_property or item.get_closest_marker("exhaustive") is not None
