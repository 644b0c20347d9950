"""The AWS commands that make, or find, what a cluster needs. A test holds them against botocore's own models."""
