"""botocore's models of AWS services, read once in a process: every session reads them anew otherwise.

They are megabytes of JSON, and reading them took longer than most tests that make a session.
"""

from __future__ import annotations

from functools import cache

from botocore.loaders import JSONFileLoader, Loader


def read_once() -> None:
    """Let all sessions of this process share what is read."""
    reader = JSONFileLoader()
    reader.load_file = cache(reader.load_file)
    Loader.FILE_LOADER_CLASS = staticmethod(lambda: reader)
