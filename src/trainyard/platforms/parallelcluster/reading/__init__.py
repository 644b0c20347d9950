"""From a configuration of ParallelCluster to a spec, as far as a spec can say the same."""
