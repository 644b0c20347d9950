"""Facts that somebody else decides, as data with sources: instance types, ParallelCluster's lists, storage."""
