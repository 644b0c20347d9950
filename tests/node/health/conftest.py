"""A node of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.health.node import Node


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)
