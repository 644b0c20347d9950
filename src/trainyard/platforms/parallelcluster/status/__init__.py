"""Whether a cluster of ParallelCluster is up: its head node, its fleet and its queues."""
