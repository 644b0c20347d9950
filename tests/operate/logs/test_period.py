"""Times as people write them."""

from __future__ import annotations

import pytest

from trainyard.errors import InputError
from trainyard.operate.logs.period import moment_ms, period

NOON = 1_778_068_800.0  # 2026-05-06T12:00:00Z


@pytest.mark.parametrize(
    ("text", "seconds_before_noon"),
    [
        ("90s", 90),
        ("30m", 1800),
        ("1h", 3600),
        ("2d", 172_800),
        ("1w", 604_800),
        ("2026-05-06T11:00", 3600),
        ("2026-05-06 11:00:00", 3600),
        ("2026-05-06T11:00:00.250Z", 3599.75),
        ("2026-05-06T13:00+02:00", 3600),
        ("2026-05-06", 43_200),
    ],
)
def test_a_moment_is_so_long_ago_or_a_time_in_utc(text, seconds_before_noon):
    assert moment_ms(text, NOON, "--since") == int((NOON - seconds_before_noon) * 1000)


@pytest.mark.parametrize("text", ["", "yesterday", "1y", "h", "-1h", "13:25", "2026-13-01", "99999999999d", "1h\n2"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(InputError, match="is no time"):
        moment_ms(text, NOON, "--since")


def test_what_is_longer_ago_than_1970_begins_there():
    assert moment_ms("9999999w", NOON, "--since") == 0


def test_a_period_ends_after_it_begins():
    assert period("2h", "1h", NOON) == ((NOON - 7200) * 1000, (NOON - 3600) * 1000)
    with pytest.raises(InputError, match="--until 2h is not after --since 1h"):
        period("1h", "2h", NOON)
