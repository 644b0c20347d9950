"""The logs of a cluster of ParallelCluster, which its nodes send to CloudWatch."""
