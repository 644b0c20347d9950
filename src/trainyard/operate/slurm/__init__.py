"""The Slurm of a cluster, by way of its head node: its nodes, and who has them."""
