"""An account in memory with a bucket, and work in it."""

from __future__ import annotations

from tests.deploy.conftest import account, work

__all__ = ["account", "work"]
