from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

import trainyard


def test_the_version_is_that_of_the_installed_distribution():
    assert importlib.metadata.version("trainyard") == trainyard.__version__


def test_the_tests_see_the_wheel_where_they_are_to_test_the_wheel():
    place = "site-packages" if os.environ.get("TRAINYARD_INSTALLED") == "wheel" else "src"
    assert place in Path(trainyard.__file__).parts
