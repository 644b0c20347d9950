"""The logs of a cluster of AWS Batch: what the containers of its jobs print."""
