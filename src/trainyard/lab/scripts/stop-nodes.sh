#!/bin/sh
# What slurmctld of a lab runs in place of ParallelCluster's slurm_suspend.
here="$(cd "$(dirname "$0")/.." && pwd)"
export SLURM_CONF="$here/slurm.conf"
for node in $("$here/bin/scontrol" show hostnames "$1"); do
  read -r process <"$here/pids/$node" 2>/dev/null && kill "$process" 2>/dev/null
done
exit 0
