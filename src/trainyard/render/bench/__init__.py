"""Bandwidth tests of a cluster: from the spec to the jobs that measure it."""
