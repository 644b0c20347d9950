#!/usr/bin/env bash
# Installs Prometheus and promtool for tests that ask a real one, unless they are there. Its service is not started.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
  echo "prometheus is missing: installing it with apt-get (once)" >&2
  install_without_services prometheus
fi
