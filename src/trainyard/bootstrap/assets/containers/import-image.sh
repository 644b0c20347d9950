#!/usr/bin/env bash
# Imports container images to the shared file system, so that jobs start without a registry:
#
#   import-image.sh nvcr.io#nvidia/pytorch:25.12-py3 …
#   srun --container-image=/fsx/containers/nvcr.io+nvidia+pytorch+25.12-py3.sqsh …
#
# Names are those of `enroot import`, without docker://, and need a tag:
# https://github.com/NVIDIA/enroot/blob/master/doc/cmd/import.md
# Who needs a password has it in ~/.config/enroot/.credentials; this script neither takes nor prints one.
#
# Every image is all there or not there at all, and two that import the same one do not collide.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

WAIT_S=${TRAINYARD_IMPORT_WAIT_S:-3000}
# The same rule as for software.container_images in a spec.
readonly NAME='^([a-z0-9]+([.-][a-z0-9]+)*(:[0-9]+)?#)?[a-z0-9]+([._/-]+[a-z0-9]+)*:[A-Za-z0-9_][A-Za-z0-9_.-]*$'

check_name() {
  # What stands before an @ may be a password, so such a name is not repeated.
  [[ $1 != *@* ]] ||
    fail "$STATUS_SETTING" "the name of an image holds no @: put user and password into ~/.config/enroot/.credentials"
  [[ $1 =~ $NAME && ${#1} -le 230 && $1 != */../* ]] ||
    fail "$STATUS_SETTING" "$(printf '%.255q' "$1") is no image with a tag, such as nvcr.io#nvidia/pytorch:25.12-py3"
}

# An image begins with the mark of squashfs: https://docs.kernel.org/filesystems/squashfs.html
whole() {
  [[ -f $1 && $(head -c 4 "$1" 2>/dev/null | tr -d '\0') == hsqs ]]
}

# The first import from NGC may be refused with 401 though all is well, says Enroot's page above. So that is tried twice.
run_enroot() {
  local image=$1 file=$2 said status
  for _ in 1 2; do
    status=0
    said=$(enroot import --output "$file" -- "docker://$image" 2>&1) || status=$?
    [[ -z $said ]] || say "$said"
    ((status)) || return 0
    [[ $said == *"error code: 401"* ]] || break
    rm -f "$file"
  done
  give_up "$image" "$said"
}

give_up() {
  local image=$1 said=$2
  no_space "$said" "import $image"
  case $said in
  *"error code: 401"* | *"error code: 403"*) fail "$STATUS_SETTING" "the registry refuses $image: check its name, put user and password of the registry into ${HOME:-~}/.config/enroot/.credentials, and import it again" ;;
  *"error code: 404"* | *"manifest unknown"*) fail "$STATUS_SETTING" "the registry has no $image: check its name and tag, correct them in the spec, and import it again" ;;
  *"error code: 429"* | *toomanyrequests*) fail "$STATUS_LATER" "the registry answers too many requests for $image: try again later, or log in to it" ;;
  *"resolve host"* | *"timed out"* | *"onnection refused"* | *"unreachable"*)
    fail "$STATUS_UNREACHABLE" "the registry of $image cannot be reached from here: see the routes and security groups of this subnet"
    ;;
  esac
  fail 1 "enroot cannot import $image: $(last_line "$said" "it said nothing")"
}

# can_lock FILE IMAGE: a file that another user left cannot be opened here.
can_lock() {
  local said
  said=$( (: >>"$1") 2>&1) && return 0
  no_space "$said" "import $2"
  fail 1 "the lock file $1 cannot be opened${said:+ (${said##*: })}: remove it once nobody imports $2, and import it again"
}

import() {
  local image=$1 name=${1//[#\/:]/+}.sqsh
  local file=$FOLDER/$name
  can_lock "$FOLDER/.$name.lock" "$image"
  exec 9>>"$FOLDER/.$name.lock"
  flock --wait "$WAIT_S" 9 || fail "$STATUS_LATER" "somebody else still imports $image after $WAIT_S seconds: try again later"
  if whole "$file"; then
    say "$image is there: $file"
    return 0
  fi
  # Who holds the lock owns what a former import left.
  rm -rf "$FOLDER/.$name.new."*
  WORK=$(mktemp -d "$FOLDER/.$name.new.XXXXXX")
  say "importing $image"
  run_enroot "$image" "$WORK/image"
  whole "$WORK/image" || fail 1 "enroot left no image of $image: see the lines above"
  chmod 0644 "$WORK/image"
  attempt "write $file" sync "$WORK/image"
  attempt "write $file" mv -T "$WORK/image" "$file"
  rm -rf "$WORK"
  note_change "imported $image to $file"
}

(($#)) || fail "$STATUS_SETTING" "usage: import-image.sh IMAGE…, such as nvcr.io#nvidia/pytorch:25.12-py3"
need TRAINYARD_SHARED
for image in "$@"; do check_name "$image"; done
command -v enroot >/dev/null ||
  fail "$STATUS_HARDWARE" "Enroot is missing: use an image that ParallelCluster made, and containers: true in the spec"
FOLDER=$ROOT$TRAINYARD_SHARED/containers
[[ -d $FOLDER ]] || fail "$STATUS_HARDWARE" "$FOLDER is missing: is the shared file system mounted, and did the head node make it?"
[[ -w $FOLDER ]] || fail 1 "you may not write to $FOLDER: it belongs to $(stat --format=%U "$FOLDER")"
WORK=
trap '[[ -z $WORK ]] || rm -rf "$WORK"' EXIT

if (($# > 1)); then
  # Each on its own, so that the others are imported where one fails.
  worst=0
  for image in "$@"; do
    bash "${BASH_SOURCE[0]}" "$image" || worst=$?
  done
  exit "$worst"
fi
import "$1"
finish
