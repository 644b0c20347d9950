#!/usr/bin/env bash
# Lets login shells use the shared NCCL, whichever version is current, and says which one that is.
# The link may lead nowhere yet: shells skip what they cannot read, and find NCCL as soon as it is built.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Prints the architectures that a manifest names, such as 90 100.
built_for() {
  python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["architectures"])' "$1" 2>/dev/null ||
    fail "$STATUS_DAMAGED" "$1 cannot be read: remove its folder and build NCCL again"
}

# Prints the architecture of this node's GPUs, such as 90, or nothing where that cannot be told.
own_architecture() {
  { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | sed -n '1s/\.//p'
}

need TRAINYARD_NCCL_VERSION TRAINYARD_SHARED
shared=$TRAINYARD_SHARED/nccl
link "$shared/current/setup-nccl-env.sh" "$ROOT/etc/profile.d/trainyard-nccl.sh"
if [[ ! -e $ROOT$shared/current/manifest.json ]]; then
  say "there is no NCCL in $shared yet: submit nccl/build-nccl.sbatch; this node will find it"
else
  version=$(readlink "$ROOT$shared/current")
  say "NCCL $version of $shared is used"
  [[ $version == "$TRAINYARD_NCCL_VERSION" ]] ||
    say "the spec asks for NCCL $TRAINYARD_NCCL_VERSION: use-nccl.sh $TRAINYARD_NCCL_VERSION switches to it once it is built"
  built=$(built_for "$ROOT$shared/current/manifest.json") || exit $?
  own=$(own_architecture)
  [[ -z $own || " $built " == *" $own "* ]] ||
    fail "$STATUS_SETTING" "NCCL $version is built for sm_${built// / and sm_}, but this node's GPUs are sm_$own: build a version for both with --architectures"
fi
finish
