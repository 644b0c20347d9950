"""The steps that make a cluster with ParallelCluster."""
