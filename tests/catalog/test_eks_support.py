"""The support of versions by the day of the catalog."""

from __future__ import annotations

import pytest

from trainyard.catalog.kubernetes_versions import (
    HALF_A_YEAR_DAYS,
    days_left,
    find_version,
    known_versions,
    recommended_versions,
    support_of,
    versions_in_standard_support,
)


@pytest.mark.parametrize("version", known_versions())
def test_the_state_of_a_version_follows_from_its_two_days_and_that_of_the_comparison(version: str):
    facts, support = find_version(version), support_of(version)
    assert facts is not None
    days = sorted(
        [("standard", facts.standard_until), ("extended", facts.extended_until), ("compared", support.as_of)],
        key=lambda day: (day[1], day[0] == "compared"),
    )
    position = [name for name, _ in days].index("compared")
    assert support.state == ("standard", "extended", "ended")[position]
    assert support.until in (facts.standard_until, facts.extended_until)


def test_the_documents_own_version_has_ended_and_one_far_older_too():
    assert support_of("1.27").state == "ended"
    assert support_of("1.14") == ("ended", None, support_of("1.27").as_of)


@pytest.mark.parametrize("version", ["1.99", "2.0", "latest", ""])
def test_what_nobody_has_compared_is_unknown(version: str):
    assert support_of(version).state == "unknown"


def test_recommended_are_those_with_half_a_year_left():
    assert set(recommended_versions()) <= set(versions_in_standard_support())
    left = [days_left(support_of(version)) for version in recommended_versions()]
    assert all(days is not None and days >= HALF_A_YEAR_DAYS for days in left)
    assert days_left(support_of("1.27")) is None


def test_there_is_a_version_to_recommend_and_the_newest_is_last():
    versions = versions_in_standard_support()
    assert versions
    assert versions[-1] == known_versions()[-1]
