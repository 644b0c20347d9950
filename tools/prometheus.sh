#!/usr/bin/env bash
# Installs Prometheus, promtool, Alertmanager and amtool for tests that ask real ones, unless they are there. Their services
# are not started.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

missing=()
if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
  missing+=(prometheus)
fi
if ! command -v prometheus-alertmanager >/dev/null || ! command -v amtool >/dev/null; then
  missing+=(prometheus-alertmanager)
fi
if ((${#missing[@]})); then
  echo "${missing[*]} is missing: installing it with apt-get (once)" >&2
  install_without_services "${missing[@]}"
fi
