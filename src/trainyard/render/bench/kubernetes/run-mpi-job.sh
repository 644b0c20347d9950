#!/usr/bin/env bash
# Does the work of a bandwidth test as an MPIJob, in its launcher: says what the nodes are, and runs the test over all of
# them. All of it goes to the launcher's log, which `trainyard bench judge` reads.
#
# The job says what to run: TRAINYARD_BENCH_JOB, TRAINYARD_INSTANCE_TYPE, TRAINYARD_NODES, TRAINYARD_PROGRAMS,
# TRAINYARD_ARGUMENTS, TRAINYARD_RANKS_PER_NODE and TRAINYARD_VARIABLES (the names of those that are passed on). The MPI
# operator tells Open MPI of the workers, by a host file and keys.
# https://github.com/kubeflow/mpi-operator
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${TRAINYARD_SYSROOT:-}
INVENTORY_S=${TRAINYARD_INVENTORY_S:-300}
# After what the image itself has, which ranks get as well.
PATH=$PATH:$ROOT/opt/amazon/openmpi/bin:$ROOT/opt/amazon/efa/bin:/usr/sbin

say() {
  echo "trainyard: $*"
}

fail() {
  echo "trainyard: error: $*" >&2
  exit 1
}

need() {
  local name
  for name in "$@"; do
    [[ -n ${!name:-} ]] || fail "$name is not set: apply one of the MPIJobs of bench/"
  done
}

find_mpirun() {
  MPIRUN=$ROOT/opt/amazon/openmpi/bin/mpirun
  [[ -x $MPIRUN ]] || MPIRUN=$(command -v mpirun) ||
    fail "the image has no mpirun in /opt/amazon/openmpi/bin or the search path: name another as eks.nccl_image"
}

# Open MPI only starts the ranks and lets them meet, so it takes TCP and leaves EFA to NCCL.
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
on_workers() {
  local name pass=(-x PATH -x LD_LIBRARY_PATH)
  for name in $TRAINYARD_VARIABLES; do pass+=(-x "$name"); done
  "${LIMIT[@]}" "$MPIRUN" --allow-run-as-root --bind-to none \
    --mca pml ^cm,ucx --mca btl tcp,self --mca btl_tcp_if_exclude lo,docker0,veth_def_agent "${pass[@]}" "$@"
}

describe() {
  local LIMIT=(timeout --kill-after=5 "$INVENTORY_S")
  on_workers -n "$TRAINYARD_NODES" -N 1 bash "$HERE/describe-node.sh" </dev/null ||
    say "not every node could be described: see the lines above"
}

# run PROGRAM: one test. Its line is the one by which nccl-tests itself begins since 2.18, so that each is told apart.
run() {
  local status=0
  say "Collective test starting: $1"
  on_workers -n "$RANKS" -N "$TRAINYARD_RANKS_PER_NODE" bash "$HERE/nccl-program.sh" "$1" "${ARGUMENTS[@]}" || status=$?
  say "$1 ended with status $status"
  return "$status"
}

need TRAINYARD_BENCH_JOB TRAINYARD_NODES TRAINYARD_PROGRAMS TRAINYARD_ARGUMENTS TRAINYARD_RANKS_PER_NODE
export TRAINYARD_VARIABLES=${TRAINYARD_VARIABLES:-} LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}
read -r -a PROGRAMS <<<"$TRAINYARD_PROGRAMS"
read -r -a ARGUMENTS <<<"$TRAINYARD_ARGUMENTS"
LIMIT=()
RANKS=$((TRAINYARD_NODES * TRAINYARD_RANKS_PER_NODE))

say "job $TRAINYARD_BENCH_JOB, pod $(uname -n), began $(date --utc +%Y-%m-%dT%H:%M:%SZ)"
say "instance-type ${TRAINYARD_INSTANCE_TYPE:-unknown}, nodes $TRAINYARD_NODES, ranks $RANKS"
find_mpirun
describe
# The first that fails ends it: the rest would only repeat why.
for program in "${PROGRAMS[@]}"; do
  run "$program" || exit
done
