"""Limits of EKS, and where they stand."""

from __future__ import annotations

import re

from trainyard.catalog import catalog_file
from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.source import sources_by_fact

DATA = catalog_file.content(catalog_file.FOLDER / "eks_limits.yaml")


def test_every_fact_has_a_source_with_an_address_and_a_date():
    sources = catalog_file.validated({"sources": DATA["sources"]}).sources
    told = sources_by_fact(DATA["limits"], sources, "eks_limits.yaml")
    assert set(told) == set(eks_limits()._fields)
    assert {source.url for source in sources.values()} == {source.url for source in told.values()}


def test_extended_support_costs_more_and_numbers_are_numbers():
    limits = eks_limits()
    assert 0 < limits.cluster_usd_per_hour < limits.cluster_in_extended_support_usd_per_hour
    assert re.fullmatch(r"\d+\.\d+", limits.amazon_linux_2_last_version)
    assert all(isinstance(limit, int | float | str | tuple) for limit in limits)
    assert all(re.fullmatch(r"[a-z]{3,5}\d-az\d", one) for one in limits.zones_without_control_plane)
