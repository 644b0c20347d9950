"""How many examples hypothesis tries, in which order files of tests run, and which part of them `--slice` keeps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests import aws_models

# No deadline: the first example pays for imports, and machines differ.
settings.register_profile("each-time", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exhaustive", max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "each-time"))

aws_models.read_once()

TESTS = Path(__file__).parent
LONGEST = (TESTS / "longest_files.txt").read_text(encoding="utf-8").split()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slice", metavar="PART/PARTS", help="of the exhaustive tests and of those by hypothesis, run one part alone"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left with one at the end."""
    rank = {file: number for number, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.relative_to(TESTS).as_posix(), len(rank)))
    if chosen := config.getoption("--slice"):
        part, parts = map(int, chosen.split("/"))
        sliced = [item for item in items if _is_exhaustive(item)]
        kept = sliced[part % parts :: parts]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _is_exhaustive(item: pytest.Item) -> bool:
    is_property = isinstance(item, pytest.Function) and is_hypothesis_test(item.function)
    return is_property or item.get_closest_marker("exhaustive") is not None
