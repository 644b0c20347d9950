"""A cluster of AWS Batch as it is now: its environments and queues, who waits there, and which images are missing."""
