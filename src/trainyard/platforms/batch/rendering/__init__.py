"""From a spec to the stack of AWS Batch: compute environments, job queues, job definitions and a registry."""
