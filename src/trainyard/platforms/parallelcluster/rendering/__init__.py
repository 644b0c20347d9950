"""The ParallelCluster configuration of a spec: plain dicts from small functions, one file for each of its sections."""
