"""The Slurm of a spec on this machine: to practise on, and to break."""
