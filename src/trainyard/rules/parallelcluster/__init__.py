"""What rules about configurations of ParallelCluster look at."""
