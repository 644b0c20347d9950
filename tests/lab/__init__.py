"""The Slurm of a spec on this machine."""
