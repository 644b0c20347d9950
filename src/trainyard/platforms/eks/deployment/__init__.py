"""What the steps of Amazon EKS have in common: what is wanted, what is there, and how the two differ."""
