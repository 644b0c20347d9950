"""Versions of software, in the forms in which people copy them."""

from __future__ import annotations

import pytest

from tests.examples import example_spec
from trainyard.errors import FindingsError
from trainyard.spec.parsing import parse


def nccl_version(written: str) -> str:
    part = f"software: {{setup: gpu, nccl: {{version: {written}}}}}\n"
    nccl = parse(example_spec(part), "cluster.yaml").spec.software.nccl
    assert nccl is not None
    return nccl.version


@pytest.mark.parametrize(
    ("written", "version"),
    [("2.28.9-1", "2.28.9-1"), ("v2.28.9-1", "2.28.9-1"), ("v1.17.2-aws", "1.17.2"), ("1.17.2-aws", "1.17.2")],
)
def test_a_tag_is_the_version_that_it_names(written, version):
    assert nccl_version(written) == version


@pytest.mark.parametrize("written", ["vv2.28.9-1", "v", "2.28.9-aws-1", "V2.28.9", "2.28.9-rc1", "latest"])
def test_what_is_no_version_is_refused(written):
    with pytest.raises(FindingsError, match=r"must be a version such as 1\.48\.0 or 2\.28\.9-1"):
        nccl_version(written)


@pytest.mark.parametrize(
    ("part", "version"),
    [
        ("parallelcluster: {version: v3.16.1}\n", "3.16.1"),
        ('parallelcluster: {version: "3.16.1"}\n', "3.16.1"),
        ("eks: {kubernetes_version: v1.35}\n", "1.35"),
    ],
)
def test_so_is_one_of_parallelcluster_and_kubernetes(part, version):
    spec = parse(example_spec(part), "cluster.yaml").spec
    assert version in (spec.parallelcluster.version, spec.eks.kubernetes_version)


@pytest.mark.parametrize(("part", "said"), [
    ("parallelcluster: {version: vv3.16.1}\n", r"such as \"3\.16\.1\", in full"),
    ("parallelcluster: {version: v3.16}\n", r"such as \"3\.16\.1\", in full"),
    ("eks: {kubernetes_version: v1.36.1}\n", r"such as \"1\.36\", in quotes"),
])  # fmt: skip
def test_what_is_none_of_theirs_is_refused(part, said):
    with pytest.raises(FindingsError, match=said):
        parse(example_spec(part), "cluster.yaml")
