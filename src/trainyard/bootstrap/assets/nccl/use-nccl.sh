#!/usr/bin/env bash
# Makes a version of the shared NCCL the current one:
#
#   use-nccl.sh [--trust] VERSION
#
# The link is replaced at once: a reader finds the former version or the new one, never none. Shells that use the former
# one keep it. Nothing is switched to that is not what its manifest says. Where this cluster did not build the version,
# it has no manifest that only root may write: --trust makes one of what lies there now.
set -euo pipefail
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$HERE/../common.sh"
# shellcheck source=src/trainyard/bootstrap/assets/nccl/manifest.sh
. "$HERE/manifest.sh"

versions() {
  find "$HOME_OF_NCCL" -mindepth 2 -maxdepth 2 -name manifest.json -not -path '*/.*' -printf '%h\n' 2>/dev/null |
    sed 's|.*/||' | sort -V | paste -s -d ' '
}

# trust_what_lies_there: what is verified is what is trusted, whatever becomes of the file meanwhile.
trust_what_lies_there() {
  local now
  now=$(mktemp)
  # shellcheck disable=SC2064
  trap "rm -f '$now'" EXIT
  attempt "read the manifest of $PLACE" cp "$PLACE/manifest.json" "$now"
  verified all "$now" "$PLACE" || fail "$STATUS_DAMAGED" "$PLACE is not what was built: remove it and build it again"
  trust "$VERSION" "$now"
  note_change "trusts NCCL $VERSION as it lies in $PLACE"
}

# switch FOLDER TARGET COMMAND…: makes FOLDER/current lead to TARGET. The new link has a name of its own, so that two who
# switch at once do not meet.
switch() {
  local folder=$1 target=$2 new
  shift 2
  [[ $(readlink "$folder/current") != "$target" ]] || return 0
  new=$folder/.current.$(hostname).$$
  attempt "switch to NCCL $VERSION" "$@" ln -s "$target" "$new"
  attempt "switch to NCCL $VERSION" "$@" mv -T "$new" "$folder/current"
  note_change "NCCL $VERSION is current in $folder"
}

TRUST=0
if [[ ${1:-} == --trust ]]; then
  TRUST=1
  shift
fi
[[ $# -eq 1 ]] || fail "$STATUS_SETTING" "usage: use-nccl.sh [--trust] VERSION, such as 2.28.7-1"
need TRAINYARD_SHARED
VERSION=$1
HOME_OF_NCCL=$ROOT$TRAINYARD_SHARED/nccl
PLACE=$HOME_OF_NCCL/$VERSION
[[ $VERSION =~ ^[0-9][0-9A-Za-z.-]*$ && -f $PLACE/manifest.json ]] ||
  fail "$STATUS_SETTING" "there is no NCCL $(printf '%.40q' "$VERSION") in $HOME_OF_NCCL, only: $(versions)"
((! TRUST)) || trust_what_lies_there
[[ -f $MANIFESTS/$VERSION.json ]] ||
  fail "$STATUS_SETTING" "this cluster did not build $PLACE: build it again, or take it as it is with 'use-nccl.sh --trust $VERSION' if you know who built it"
verified all "$MANIFESTS/$VERSION.json" "$PLACE" ||
  fail "$STATUS_DAMAGED" "$PLACE is not what was built: remove it and build it again"
switch "$HOME_OF_NCCL" "$VERSION" env
switch "$MANIFESTS" "$VERSION.json" as_root
say "nodes that start take NCCL $VERSION; apply-nccl.sh brings it to those that run"
finish
