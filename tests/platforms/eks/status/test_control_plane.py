"""What is told of a control plane itself."""

from __future__ import annotations

import pytest

from trainyard.platforms.eks.status.control_plane import usd_an_hour


# https://aws.amazon.com/eks/pricing/, read 2026-11-22
@pytest.mark.parametrize(("support", "usd"), [("standard", 0.1), ("extended", 0.6), ("ended", None), ("", None)])
def test_it_costs_by_the_support_of_its_version(support: str, usd: float | None):
    assert usd_an_hour(support) == usd
