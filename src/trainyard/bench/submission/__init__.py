"""Bandwidth tests on a cluster: submitted to its Slurm, followed, and their results fetched."""
