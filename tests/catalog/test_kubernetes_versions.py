"""The versions of Kubernetes on EKS: what is known, and from where."""

from __future__ import annotations

from datetime import date

import pytest

from tests.specs import spec_of
from trainyard.catalog.kubernetes_version import KubernetesVersion
from trainyard.catalog.kubernetes_versions import find_version, known_versions, sources_of


def _minor(name: str) -> int:
    return int(name.partition(".")[2])


def test_a_version_that_nobody_wrote_down_is_unknown():
    assert find_version("1.99") is None


def test_no_version_between_two_known_ones_is_missing():
    numbers = sorted(_minor(name) for name in known_versions())
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


@pytest.mark.parametrize("name", known_versions())
def test_extended_support_lasts_a_year_longer(name: str):
    # https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
    facts = find_version(name)
    assert facts is not None
    standard, extended = date.fromisoformat(facts.standard_until), date.fromisoformat(facts.extended_until)
    assert (extended.year - standard.year, extended.month, extended.day) == (1, standard.month, standard.day)


@pytest.mark.parametrize("name", known_versions())
def test_versions_end_in_their_order(name: str):
    facts, before = find_version(name), find_version(f"1.{_minor(name) - 1}")
    assert facts is not None
    assert before is None or before.standard_until < facts.standard_until


@pytest.mark.parametrize("name", known_versions())
def test_every_fact_has_a_source_that_was_read(name: str):
    facts = find_version(name)
    assert facts is not None
    known = {field for field in KubernetesVersion.field_names() if getattr(facts, field) is not None} - {"name"}
    assert set(sources_of(name)) == known
    assert all(source.url.startswith("https://") for source in sources_of(name).values())


def test_a_spec_that_says_nothing_gets_a_version_whose_add_ons_are_all_known():
    facts = find_version(spec_of("platform: eks").eks.kubernetes_version)
    assert facts is not None
    assert None not in [getattr(facts, field) for field in KubernetesVersion.field_names()]
