"""From a configuration of ParallelCluster to a spec that renders the same configuration."""
