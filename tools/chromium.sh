#!/usr/bin/env bash
# Installs the browser that tests open pages and pictures in, unless there is one or CHROMIUM names one.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium-headless-shell >/dev/null; then
  echo "chromium-headless-shell is missing: installing it with apt-get (once)" >&2
  install_quietly chromium-headless-shell
fi
