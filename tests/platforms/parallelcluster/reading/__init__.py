"""Reading configurations of ParallelCluster."""
