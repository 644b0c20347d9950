#!/usr/bin/env bash
# Prints the hosts of a job, one a line, those that are near one another in the network next to one another:
#
#   order-hosts.sh            inside a job of Slurm
#
# NCCL's rings and trees follow the order of the ranks, so neighbours should be near. Where Slurm knows a topology, hosts
# stand below their switches or in their blocks; otherwise they are in the order of their names, which says nothing of
# where they are. What EC2 knows of that, DescribeInstanceTopology tells only to those who may ask it, and nodes may not.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology.html
set -euo pipefail
# ParallelCluster's Slurm.
PATH=$PATH:/opt/slurm/bin

# Prints LEVEL SWITCH HOSTS of each line that has hosts. A block is a switch of level 0.
# https://slurm.schedmd.com/topology.html https://slurm.schedmd.com/scontrol.html#OPT_topology
switches() {
  scontrol show topology 2>/dev/null |
    sed -n \
      -e 's/.*SwitchName=\([^ ]*\) Level=\([0-9]*\).* Nodes=\([^ ]\{1,\}\).*/\2 \1 \3/p' \
      -e 's/.*BlockName=\([^ ]*\).* Nodes=\([^ ]\{1,\}\).*/0 \1 \2/p' || true
}

# Prints HOST LEVEL SWITCH for each host below each switch, the highest switches first.
places() {
  local level name nodes
  switches | sort -k 1,1nr -k 2,2 -s | while read -r level name nodes; do
    scontrol show hostnames "$nodes" | sed "s|\$| $level $name|"
  done
}

# Prints WAY HOST, sorted, where WAY are the switches from the top to the host.
by_way() {
  awk 'FILENAME == ARGV[1] { way[$1] = way[$1] "/" $3; next } { print (($1 in way) ? way[$1] : "~"), $1 }' <(places) <(hosts) |
    sort -k 1,1 -k 2,2V
}

hosts() {
  scontrol show hostnames "$SLURM_JOB_NODELIST" | sort -V
}

[[ -n ${SLURM_JOB_NODELIST:-} ]] || {
  echo "trainyard: error: this runs inside a job of Slurm only: submit it with sbatch" >&2
  exit 1
}
ways=$(by_way)
known=$(awk '$1 != "~" { print $1 }' <<<"$ways" | sort -u | wc -l)
if ((known)); then
  echo "trainyard: hosts are in the order of Slurm's topology: they are below $known of its switches or blocks" >&2
else
  echo "trainyard: hosts are in the order of their names: Slurm knows no topology, so nobody can tell which are near" >&2
fi
awk '{ print $2 }' <<<"$ways"
