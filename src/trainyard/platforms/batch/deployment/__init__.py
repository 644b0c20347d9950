"""The steps that make a cluster of AWS Batch, and what they compare."""
