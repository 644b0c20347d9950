"""Slurm, as three of its commands describe it: squeue, sinfo and scontrol, once for each reading."""
