"""A machine whose instance metadata service answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node.machine import INSTANCE, Machine


@pytest.fixture(scope="session")
def metadata_service() -> Iterator[str]:
    """Run the service, and return where it answers."""
    script = Path(__file__).with_name("imds_server.py")
    command = [sys.executable, str(script), INSTANCE, "p5.48xlarge"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture
def machine(tmp_path: Path, metadata_service: str) -> Machine:
    return Machine(tmp_path, metadata_service)
