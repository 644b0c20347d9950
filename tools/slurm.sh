#!/usr/bin/env bash
# Installs Slurm and munge for tests that ask a real Slurm, unless they are there. Their services are not started.
# Makes .make/slurm-root too, which holds a newer Slurm: Debian 12 has 22.05, ParallelCluster 3.8 began with 23.02.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

ROOT=.make/slurm-root
MIRROR=http://deb.debian.org/debian

if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  echo "slurm is missing: installing it with apt-get (once)" >&2
  install_without_services slurm-wlm munge
fi

[ ! -e "$ROOT/made" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "no newer Slurm for tests: making its root needs root" >&2
  exit 0
fi
command -v debootstrap >/dev/null || install_quietly debootstrap
echo "making a root with a newer Slurm for tests in $ROOT (once, about a minute)" >&2
rm -rf "$ROOT"
mkdir -p "${ROOT%/*}"
log="$(mktemp)"
if ! debootstrap --variant=minbase --include=slurmctld,slurmd,slurm-client,munge trixie "$ROOT" "$MIRROR" >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"
rm -rf "$ROOT"/var/cache/apt/archives/*.deb
# A file for this machine's own to be mounted on: the newer Slurm resolves its name.
touch "$ROOT/etc/hosts" "$ROOT/made"
