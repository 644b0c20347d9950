"""The account of tests that diagnose a cluster."""

from tests.diagnose.cluster.conftest import account

__all__ = ["account"]
