#!/usr/bin/env bash
# Runs a program of nccl-tests as one rank, with the libraries that belong to it, wherever it is:
#
#   nccl-program.sh all_reduce_perf -b 8 -e 16G …
#   nccl-program.sh --where all_reduce_perf        prints its place only
#
# Looked for in this order: TRAINYARD_BIN, which names it, with the libraries of TRAINYARD_LIB; the shared NCCL, which
# trainyard built, in this node's copy of the current version, or else as it lies there; /opt/nccl-tests, where images of
# AWS have it; the search path, where NVIDIA's images have it.
# It is MPI that makes one test of many ranks, so a program has to be built with MPI.
# https://github.com/awslabs/awsome-distributed-ai/blob/main/micro-benchmarks/nccl-tests/nccl-tests.Dockerfile
# https://run-ai-docs.nvidia.com/saas/tutorials/training-tutorials/nccl-tests
set -euo pipefail
ROOT=${TRAINYARD_SYSROOT:-}
SHARED=${TRAINYARD_SHARED:-}
# Of nccl-tests alone: a name is no path.
readonly NAME='^[a-z_]+_perf$'

fail() {
  echo "trainyard: error: $*" >&2
  exit 1
}

# Puts folders before LD_LIBRARY_PATH, those that exist.
libraries() {
  local folder
  for folder in "$@"; do
    [[ ! -d $folder ]] || LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}
}

# Sets PROGRAM, and the libraries that it needs.
find_program() {
  local name=$1 shared=$ROOT$SHARED/nccl/current copy
  # What a node has copied last may be a former version, and all ranks have to run one.
  copy=$ROOT/opt/trainyard/nccl/$(readlink "$shared" || true)
  [[ ! -x $copy/bin/$name ]] || shared=$copy
  libraries "$ROOT/opt/amazon/openmpi/lib" "$ROOT/opt/amazon/openmpi/lib64"
  if [[ -n ${TRAINYARD_BIN:-} ]]; then
    PROGRAM=$TRAINYARD_BIN
    [[ -x $PROGRAM && -f $PROGRAM ]] || fail "$PROGRAM is no program on $(uname -n): name one that every node sees"
    libraries "${TRAINYARD_LIB:-}"
  elif [[ -n $SHARED && -x $shared/bin/$name ]]; then
    PROGRAM=$shared/bin/$name
    # shellcheck source=/dev/null
    . "$shared/setup-nccl-env.sh"
  elif [[ -x $ROOT/opt/nccl-tests/build/$name ]]; then
    PROGRAM=$ROOT/opt/nccl-tests/build/$name
    libraries "$ROOT/opt/nccl/build/lib"
  else
    PROGRAM=$(command -v "${name}_mpi" || command -v "$name") || missing "$name"
  fi
}

missing() {
  local places="/opt/nccl-tests/build or the search path"
  [[ -z $SHARED ]] || places="$SHARED/nccl/current/bin, $places"
  fail "$(uname -n) has no $1 in $places: build it with /opt/trainyard/current/nccl/build-nccl.sbatch (software.nccl in the spec), run the test in a container (bench submit --container), or run nccl-tests-ami.sbatch BIN LIB"
}

where=0
if [[ ${1:-} == --where ]]; then
  where=1
  shift
fi
[[ ${1:-} =~ $NAME ]] || fail "usage: nccl-program.sh [--where] PROGRAM ARGUMENT…, with a program such as all_reduce_perf"
name=$1
shift
find_program "$name"
if ((where)); then
  echo "$PROGRAM"
else
  exec "$PROGRAM" "$@"
fi
