#!/usr/bin/env bash
# Imports the container images that the spec names to the shared file system. One that fails does not keep the others.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need TRAINYARD_SHARED TRAINYARD_CONTAINER_IMAGES
read -r -a images <<<"$TRAINYARD_CONTAINER_IMAGES"
# Enroot looks for its user's credentials and caches below HOME, which systemd may not set.
HOME=${HOME:-/root} exec bash "$(dirname "${BASH_SOURCE[0]}")/../containers/import-image.sh" "${images[@]}"
