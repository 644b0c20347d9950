#!/bin/sh
# What slurmctld of a lab runs in place of ParallelCluster's slurm_resume: an instance that boots is a slurmd that starts.
here="$(cd "$(dirname "$0")/.." && pwd)"
export SLURM_CONF="$here/slurm.conf"
# Some releases of Slurm start it with these closed: a socket of slurmd that took their numbers would be overwritten.
exec </dev/null >/dev/null 2>&1
for node in $("$here/bin/scontrol" show hostnames "$1"); do
  "$here/bin/slurmd" -b -N "$node" -f "$SLURM_CONF"
done
