"""Specs of clusters of Amazon EKS that eksctl, or anybody else, has made."""
