#!/usr/bin/env bash
# Does the work of a job that `trainyard bench plan` wrote, on the first of its nodes: says what the nodes are, and runs
# the test over all of them. All of it goes to the output of the job, which `trainyard bench judge` reads.
#
#   run-nccl-test.sh [BIN LIB]      BIN is the program, LIB the folder of its libnccl; by default they are looked for
#
# The job says what to run: TRAINYARD_BENCH_JOB, TRAINYARD_INSTANCE_TYPE, TRAINYARD_PROGRAMS, TRAINYARD_ARGUMENTS,
# TRAINYARD_RANKS_PER_NODE, TRAINYARD_VARIABLES (the names of those that are passed on), TRAINYARD_SHARED and, for a
# container, TRAINYARD_IMAGE.
set -euo pipefail
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
ROOT=${TRAINYARD_SYSROOT:-}
# ParallelCluster's Slurm.
PATH=$PATH:/opt/slurm/bin
INVENTORY_S=${TRAINYARD_INVENTORY_S:-300}

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
    [[ -n ${!name:-} ]] || fail "$name is not set: submit one of the .sbatch files beside this script"
  done
}

# A job takes along what is set where it is submitted. What would change a test and is not the test's own is left out.
leave_out() {
  local name
  for name in $(compgen -e); do
    case $name in
    NCCL_* | OFI_NCCL_* | FI_* | RDMAV_*)
      [[ " $TRAINYARD_VARIABLES " == *" $name "* ]] && continue
      unset "$name"
      say "left out $name, which was set where this was submitted"
      ;;
    esac
  done
}

# The program, and what it needs, have to be there before nodes wait for one another.
look_for_programs() {
  local program place
  for program in "${PROGRAMS[@]}"; do
    place=$(bash "$HERE/nccl-program.sh" --where "$program") || exit 1
    say "program $place"
  done
}

# The image as Pyxis takes it: the imported file where there is one, else the name.
choose_image() {
  local imported=$ROOT${TRAINYARD_SHARED:-}/containers/${TRAINYARD_IMAGE//[#\/:]/+}.sqsh
  IMAGE=$TRAINYARD_IMAGE
  [[ ! -f $imported ]] || IMAGE=$imported
  [[ $HERE != *[:,]* ]] || fail "the path $HERE holds a colon or a comma, which Pyxis cannot mount: move the folder"
  say "container $IMAGE"
  IN_CONTAINER=(--container-image="$IMAGE" --container-mounts="$HERE:/trainyard-bench:ro" --no-container-mount-home
    # What an image sets goes before what a job sets, unless it is named here. https://github.com/NVIDIA/pyxis/wiki/Usage
    --container-env="${TRAINYARD_VARIABLES// /,}")
}

describe() {
  local said of=()
  [[ -z ${TRAINYARD_IMAGE:-} ]] || of=(--hardware)
  timeout --kill-after=5 "$INVENTORY_S" srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" \
    --ntasks-per-node=1 bash "$HERE/describe-node.sh" "${of[@]}" </dev/null ||
    say "not every node could be described: see the lines above"
  [[ -n ${TRAINYARD_IMAGE:-} ]] || return 0
  said=$(timeout --kill-after=5 "$INVENTORY_S" srun --nodes=1 --ntasks=1 "${IN_CONTAINER[@]}" \
    bash /trainyard-bench/describe-node.sh --software </dev/null) ||
    fail "the container $IMAGE does not start: see the lines above, and try 'srun --container-image=$IMAGE true'"
  echo "$said"
}

# Open MPI only starts the ranks and lets them meet, so it takes TCP and leaves EFA to NCCL.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html
with_mpirun() {
  local mpirun=$ROOT/opt/amazon/openmpi/bin/mpirun name
  local pass=(-x TRAINYARD_SHARED -x TRAINYARD_SYSROOT -x TRAINYARD_BIN -x TRAINYARD_LIB)
  export TRAINYARD_SHARED=${TRAINYARD_SHARED:-} TRAINYARD_SYSROOT=$ROOT TRAINYARD_BIN=${TRAINYARD_BIN:-} TRAINYARD_LIB=${TRAINYARD_LIB:-}
  [[ -x $mpirun ]] || mpirun=$(command -v mpirun) ||
    fail "there is no mpirun in /opt/amazon/openmpi/bin or the search path: install EFA's Open MPI, or use --container"
  for name in $TRAINYARD_VARIABLES; do pass+=(-x "$name"); done
  sed "s/\$/ slots=$TRAINYARD_RANKS_PER_NODE/" "$HOSTS" >"$HOSTS.slots"
  "$mpirun" --hostfile "$HOSTS.slots" -n "$RANKS" -N "$TRAINYARD_RANKS_PER_NODE" --bind-to none \
    --mca pml ^cm,ucx --mca btl tcp,self --mca btl_tcp_if_exclude lo,docker0 "${pass[@]}" \
    bash "$HERE/nccl-program.sh" "$@"
}

# Enroot has what lets ranks in containers meet, and does not enable it. https://github.com/NVIDIA/pyxis/wiki/Setup
look_for_pmix() {
  local hook=50-slurm-pmi.sh
  [[ -e $ROOT/etc/enroot/hooks.d/$hook ]] ||
    say "this node has no /etc/enroot/hooks.d/$hook: where ranks do not find one another, copy it on every node from /usr/share/enroot/hooks.d"
}

# Pyxis starts the ranks itself, and they meet by PMIx.
with_pyxis() {
  awk -v times="$TRAINYARD_RANKS_PER_NODE" '{ for (i = 0; i < times; i++) print }' "$HOSTS" >"$HOSTS.ranks"
  SLURM_HOSTFILE=$HOSTS.ranks srun --distribution=arbitrary --ntasks="$RANKS" --mpi=pmix --cpu-bind=none \
    "${IN_CONTAINER[@]}" bash /trainyard-bench/nccl-program.sh "$@"
}

# run PROGRAM: one test. Its line is the one by which nccl-tests itself begins since 2.18, so that each is told apart.
run() {
  local status=0
  say "Collective test starting: $1"
  if [[ -n ${TRAINYARD_IMAGE:-} ]]; then
    with_pyxis "$1" "${ARGUMENTS[@]}" || status=$?
  else
    with_mpirun "$1" "${ARGUMENTS[@]}" || status=$?
  fi
  say "$1 ended with status $status"
  return "$status"
}

need TRAINYARD_BENCH_JOB TRAINYARD_PROGRAMS TRAINYARD_ARGUMENTS TRAINYARD_RANKS_PER_NODE TRAINYARD_VARIABLES
[[ -n ${SLURM_JOB_ID:-} ]] || fail "this runs inside a job of Slurm only: submit one of the .sbatch files with sbatch"
unset TRAINYARD_BIN TRAINYARD_LIB
if (($#)); then
  (($# == 2)) || fail "usage: sbatch nccl-tests-ami.sbatch BIN LIB, such as /opt/nccl-tests/build/all_reduce_perf /opt/nccl/build/lib"
  [[ -d $2 ]] || fail "$(uname -n) has no folder $2 with the libraries of $1"
  export TRAINYARD_BIN=$1 TRAINYARD_LIB=$2
  TRAINYARD_PROGRAMS=${1##*/}
fi
read -r -a PROGRAMS <<<"$TRAINYARD_PROGRAMS"
read -r -a ARGUMENTS <<<"$TRAINYARD_ARGUMENTS"
RANKS=$((SLURM_JOB_NUM_NODES * TRAINYARD_RANKS_PER_NODE))
WORK=$(mktemp -d "${TMPDIR:-/tmp}/trainyard-bench.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
HOSTS=$WORK/hosts

say "job $TRAINYARD_BENCH_JOB, number $SLURM_JOB_ID, began $(date --utc +%Y-%m-%dT%H:%M:%SZ)"
say "instance-type ${TRAINYARD_INSTANCE_TYPE:-unknown}, nodes $SLURM_JOB_NUM_NODES, ranks $RANKS"
leave_out
if [[ -n ${TRAINYARD_IMAGE:-} ]]; then
  choose_image
  look_for_pmix
else
  look_for_programs
fi
{ bash "$HERE/order-hosts.sh" >"$HOSTS"; } 2>&1
say "hosts $(paste -s -d ' ' "$HOSTS")"
describe
# The first that fails ends it: the rest would only repeat why.
for program in "${PROGRAMS[@]}"; do
  run "$program" || exit
done
