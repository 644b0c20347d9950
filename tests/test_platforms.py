"""Where rooms differ by platform, each has one table; all of them know the same platforms."""

from __future__ import annotations

from trainyard import platform_table
from trainyard.catalog.interfaces import LAUNCHERS
from trainyard.render.rendering import PLATFORMS


def test_every_table_of_platforms_has_the_platforms_of_the_spec():
    assert set(PLATFORMS) == set(LAUNCHERS) == set(platform_table.PLATFORMS)
