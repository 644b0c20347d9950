import pytest

from tests.rules.found import paths

RULE = "efa-too-old-for-nccl"


@pytest.mark.parametrize(
    ("nccl", "efa", "found"),
    [
        ("2.19.3-1", "1.28.0", ["software.efa_version"]),
        ("2.18.5-1", "1.28.0", []),
        ("2.19.3-1", "1.29.0", []),
        ("2.28.7-1", "1.9.1", ["software.efa_version"]),
    ],
)
def test_versions_that_do_not_go_together_are_found(nccl: str, efa: str, found: list[str]):
    part = f"software: {{setup: gpu, efa_version: {efa}, nccl: {{version: {nccl}}}}}"
    assert paths(RULE, part) == found


def test_what_the_image_brings_is_not_judged():
    assert paths(RULE, "software: {setup: gpu, nccl: {version: 2.28.7-1}}") == []
