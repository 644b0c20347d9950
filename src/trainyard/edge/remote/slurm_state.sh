#!/usr/bin/env bash
# Prints the nodes and the jobs of Slurm, compressed, so that many fit into the answer of Systems Manager.
#
# slurm_state.sh MOST
#   MOST  how many jobs are listed, of those that have nodes and of those that wait each; all are counted
#
# Names of jobs, which users choose, come last and alone: whatever stands in them, it is taken for nothing else.
set -euo pipefail
export LC_ALL=C

# States of jobs that have nodes: https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
readonly HAVE_NODES=RUNNING,COMPLETING,CONFIGURING,SUSPENDED,STOPPED,SIGNALING,STAGE_OUT

# listed MOST FORMAT: prints jobs, those that have nodes first.
listed() {
  local states
  for states in "$HAVE_NODES" PENDING; do
    squeue --noheader --states="$states" --sort=i --format="$2" | sed -n "1,$1p"
  done
}

main() {
  printf '== nodes\n'
  sinfo --Node --noheader --format='%R|%N|%T|%o|%E'
  printf '== counts\n'
  squeue --noheader --array --states="$HAVE_NODES,PENDING" --format='%T|%u|%P|%D' | sort | uniq --count
  printf '== jobs\n'
  listed "$1" '%i|%T|%u|%P|%D|%S|%R'
  printf '== names\n'
  listed "$1" '%i|%j'
}

main "$1" | gzip --stdout
