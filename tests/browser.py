"""A real browser for tests: Debian's Chromium, without network, and without windows, which cost most."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, and end it. tools/chromium.sh installs it where it is missing."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell")
    assert program is not None, "Chromium is missing: run tools/chromium.sh, or set CHROMIUM to the path of a program"
    with sync_playwright() as playwright:
        # In a container there are no user namespaces for a sandbox; what is opened is what the tests wrote themselves.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
