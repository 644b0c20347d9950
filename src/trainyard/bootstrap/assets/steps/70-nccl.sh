#!/usr/bin/env bash
# Copies the shared NCCL, whichever version is current, to this node, where login shells find it, and says which one that is.
# A copy, because others than this cluster may write to the shared file system: nothing is copied that is not what its
# manifest says, and manifest.sh says where that lies. Nodes that run already get another version by nccl/apply-nccl.sh.
set -euo pipefail
NCCL=$(cd "$(dirname "${BASH_SOURCE[0]}")/../nccl" && pwd)
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$NCCL/../common.sh"
# shellcheck source=src/trainyard/bootstrap/assets/nccl/manifest.sh
. "$NCCL/manifest.sh"

COPIES=$ROOT/opt/trainyard/nccl

# Prints the architecture of this node's GPUs, such as 90, or nothing where that cannot be told.
own_architecture() {
  { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | sed -n '1s/\.//p'
}

check_architecture() {
  local built own
  built=$(built_for "$MANIFEST") ||
    fail "$STATUS_DAMAGED" "$MANIFEST cannot be read: remove $SHARED/$VERSION and build NCCL again"
  own=$(own_architecture)
  [[ -z $own || " $built " == *" $own "* ]] ||
    fail "$STATUS_SETTING" "NCCL $VERSION is built for sm_${built// / and sm_}, but this node's GPUs are sm_$own: build a version for both with --architectures"
}

# A copy that differs is made anew; whoever has loaded it keeps it.
copy() {
  local new said
  ! verified loaded "$MANIFEST" "$COPIES/$VERSION" >/dev/null 2>&1 || return 0
  folder "$COPIES" 0755
  rm -rf "$COPIES"/.new.*
  new=$(mktemp --directory "$COPIES/.new.XXXXXX") || fail "$STATUS_NO_SPACE" "cannot make a folder in $COPIES: make room"
  said=$(verified loaded "$MANIFEST" "$ROOT$SHARED/$VERSION" "$new" 2>&1) || {
    rm -rf "$new"
    no_space "$said" "copy NCCL $VERSION"
    fail "$STATUS_DAMAGED" "$SHARED/$VERSION is not what was built ($(last_line "$said" "it cannot be read")): remove it and build it again"
  }
  attempt "write $COPIES/$VERSION" cp "$NCCL/setup-nccl-env.sh" "$new/"
  attempt "write $COPIES/$VERSION" chmod 0755 "$new"
  attempt "write $COPIES/$VERSION" sync --file-system "$new"
  rm -rf "${COPIES:?}/$VERSION"
  attempt "write $COPIES/$VERSION" mv -T "$new" "$COPIES/$VERSION"
  note_change "copied NCCL $VERSION to $COPIES"
}

need TRAINYARD_NCCL_VERSION TRAINYARD_SHARED
SHARED=$TRAINYARD_SHARED/nccl
put "$ROOT/etc/profile.d/trainyard-nccl.sh" 0644 <"$NCCL/profile.sh"
MANIFEST=$(readlink "$MANIFESTS/current") || MANIFEST=
if [[ -z $MANIFEST ]]; then
  say "this cluster has built no NCCL yet: submit nccl/build-nccl.sbatch, or 'use-nccl.sh --trust VERSION' for one that lies in $SHARED"
else
  VERSION=${MANIFEST%.json}
  MANIFEST=$MANIFESTS/$MANIFEST
  [[ $VERSION =~ ^[0-9][0-9A-Za-z.-]*$ ]] ||
    fail "$STATUS_DAMAGED" "$MANIFESTS/current leads to $(printf '%.40q' "$VERSION"), which is no version of NCCL: call use-nccl.sh again"
  check_architecture
  copy
  link "$VERSION" "$COPIES/current"
  say "NCCL $VERSION of $SHARED is used"
  [[ $VERSION == "$TRAINYARD_NCCL_VERSION" ]] ||
    say "the spec asks for NCCL $TRAINYARD_NCCL_VERSION: use-nccl.sh $TRAINYARD_NCCL_VERSION switches to it once it is built"
fi
finish
