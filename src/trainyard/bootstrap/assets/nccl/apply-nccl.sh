#!/usr/bin/env bash
# Lets nodes that run already use the shared NCCL, by running step 70 there through Slurm, and says how each fared:
#
#   apply-nccl.sh QUEUE…
#
# Nodes that start later do that by themselves. Nodes that are powered down, drained or silent are left out; a node
# without a free core is called busy and left alone. Takes root's rights on the nodes, with sudo.
set -euo pipefail
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$HERE/../common.sh"
# ParallelCluster's Slurm, which sudo does not find.
PATH=$PATH:/opt/slurm/bin

START_S=${TRAINYARD_START_S:-30}
STEP_S=180
AT_ONCE=16

# Prints the nodes of the queues that can run something now, each once and with one of its queues: idle, mixed, allocated
# or completing, with no mark behind it such as ~ for powered down or * for silent.
# https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES, #OPT_format there: %R is a queue without its mark
running_nodes() {
  local queues
  queues=$(IFS=, && echo "$*")
  sinfo --noheader --Node --format='%N %t %R' --partition="$queues" |
    awk '$2 ~ /^(idle|mix|alloc|comp)$/ && !seen[$1]++ { print $1, $3 }'
}

# one NODE QUEUE: prints a line about it, and fails where it was not done. Bounded by srun, and by timeout where srun hangs.
# Without its queue, srun looks for the node in the default queue only.
one() {
  local node=$1 queue=$2 said status=0
  said=$(timeout --kill-after=5 $((START_S + STEP_S + 10)) srun --partition="$queue" --nodelist="$node" --nodes=1 \
    --ntasks=1 --immediate="$START_S" --time=4 --job-name=apply-nccl --quiet \
    sudo --non-interactive timeout "$STEP_S" bash /opt/trainyard/current/steps/70-nccl.sh 2>&1) || status=$?
  if ((status == 0)); then
    echo "$node: $(tail -n 1 <<<"$said")"
  # The words of src/common/slurm_errno.c of https://github.com/SchedMD/slurm
  elif [[ $said == *"Immediate execution impossible"* || $said == *"Requested nodes are busy"* ]]; then
    echo "$node: busy, not done"
  else
    echo "$node: failed: $(last_line "$said" "srun ended with status $status")"
  fi
  return $((status != 0))
}

if [[ ${1:-} == --one ]]; then
  trap - ERR
  one "$2" "$3"
  exit
fi
(($#)) || fail "$STATUS_SETTING" "usage: apply-nccl.sh QUEUE…"
for queue in "$@"; do
  [[ $queue =~ ^[a-z][a-z0-9-]*$ ]] || fail "$STATUS_SETTING" "$(printf '%.40q' "$queue") is no name of a queue"
done
nodes=$(running_nodes "$@") || fail 1 "Slurm does not answer: see 'sinfo'"
if [[ -z $nodes ]]; then
  say "no node of $* runs: nodes find the shared NCCL when they start"
  exit 0
fi
xargs --max-procs="$AT_ONCE" --max-lines=1 bash "$HERE/apply-nccl.sh" --one <<<"$nodes" ||
  fail 1 "some nodes were not done: run this again when the jobs there have ended"
