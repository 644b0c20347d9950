#!/usr/bin/env bash
# Imports the container images that the spec names to the shared file system, as the cluster's user. One that fails does
# not keep the others.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need TRAINYARD_SHARED TRAINYARD_CONTAINER_IMAGES
read -r -a images <<<"$TRAINYARD_CONTAINER_IMAGES"
user=$(cluster_user)
home=$(getent passwd "$user" | cut -d : -f 6) || true
[[ -n $home ]] || fail "$STATUS_SETTING" "the user $user of the cluster has no home: see 'getent passwd $user'"
# As that user, whose credentials lie below HOME, and who can then import again what root would have locked.
exec runuser -u "$user" -- env HOME="$home" \
  bash "$(dirname "${BASH_SOURCE[0]}")/../containers/import-image.sh" "${images[@]}"
