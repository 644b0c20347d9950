#!/usr/bin/env bash
# Installs xfsprogs for the test that makes a real file system on a loop device, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if ! command -v mkfs.xfs >/dev/null; then
  echo "xfsprogs is missing: installing it with apt-get (once)" >&2
  install_quietly xfsprogs
fi
