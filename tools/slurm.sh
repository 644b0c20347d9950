#!/usr/bin/env bash
# Installs Slurm and munge for tests that ask a real Slurm, unless they are there. Their services are not started.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  echo "slurm is missing: installing it with apt-get (once)" >&2
  # Debian starts services of packages unless this says no: invoke-rc.d(8)
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 0755 "$policy"
    trap 'as_root rm -f "$policy"' EXIT
  fi
  install_quietly slurm-wlm munge
fi
