"""Adopting clusters of Amazon EKS."""
