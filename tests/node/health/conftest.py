"""A node of its own for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.node.health.node import Node

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)
