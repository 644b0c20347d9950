#!/usr/bin/env bash
# Installs a C compiler for tests that build a library of their own, unless there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if ! command -v cc >/dev/null; then
  echo "a C compiler is missing: installing it with apt-get (once)" >&2
  install_quietly gcc libc6-dev
fi
