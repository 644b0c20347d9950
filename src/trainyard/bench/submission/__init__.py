"""Bandwidth tests on a cluster: submitted to whatever runs its jobs, followed, and their results fetched."""
