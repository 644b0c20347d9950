"""Ways to the nodes and the API of a cluster of Amazon EKS."""
