#!/usr/bin/env bash
# Prints the nodes and the jobs of Slurm, compressed, so that many fit into the answer of Systems Manager.
#
# slurm_state.sh MOST [QUEUES]
#   MOST    how many jobs are listed, of those that have nodes and of those that wait each; all are counted
#   QUEUES  with commas between them, where only their jobs are asked for
#
# Names of jobs, which users choose, come last and alone: whatever stands in them, it is taken for nothing else.
set -euo pipefail
export LC_ALL=C

# States of jobs that have nodes: https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
readonly HAVE_NODES=RUNNING,COMPLETING,CONFIGURING,SUSPENDED,STOPPED,SIGNALING,STAGE_OUT

# listed MOST QUEUES FORMAT: prints jobs, those that have nodes first.
listed() {
  local states
  for states in "$HAVE_NODES" PENDING; do
    squeue --noheader ${2:+"--partition=$2"} --states="$states" --sort=i --format="$3" | sed -n "1,$1p"
  done
}

main() {
  local most=$1 queues=${2:-}
  printf '== nodes\n'
  sinfo --Node --noheader --format='%R|%N|%T|%o|%E'
  printf '== counts\n'
  squeue --noheader ${queues:+"--partition=$queues"} --array --states="$HAVE_NODES,PENDING" --format='%T|%u|%P|%D' | sort | uniq --count
  printf '== jobs\n'
  listed "$most" "$queues" '%i|%T|%u|%P|%D|%S|%R'
  printf '== names\n'
  listed "$most" "$queues" '%i|%j'
}

main "$@" | gzip --stdout
