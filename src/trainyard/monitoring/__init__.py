"""What Prometheus asks: documented queries, and rules that give Slurm's own metrics the names of ours."""
