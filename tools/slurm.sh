#!/usr/bin/env bash
# Installs Slurm and munge for tests that ask a real Slurm, unless they are there. Their services are not started.
# Makes two roots too, which hold newer ones: Debian 12 has 22.05, ParallelCluster 3.8 began with 23.02 and 3.14 has 24.11,
# as Debian 13 does; 3.15 and later have 25.11, and no Debian does: that of sid is the next, 26.05.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

MIRROR=http://deb.debian.org/debian

# make_root SUITE ROOT: libffi is for the Python of this machine, which jobs of a lab run there.
make_root() {
  local log
  [ ! -e "$2/made" ] || return 0
  command -v debootstrap >/dev/null || install_quietly debootstrap
  echo "making a root with the Slurm of Debian $1 for tests in $2 (once, about a minute)" >&2
  rm -rf "$2"
  mkdir -p "${2%/*}"
  log="$(mktemp)"
  if ! debootstrap --variant=minbase --include=slurmctld,slurmd,slurm-client,munge,libffi8 "$1" "$2" "$MIRROR" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  rm -rf "$2"/var/cache/apt/archives/*.deb
  # A file for this machine's own to be mounted on: the newer Slurm resolves its name.
  touch "$2/etc/hosts" "$2/made"
}

if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null || ! command -v slurmdbd >/dev/null ||
  ! command -v mariadbd >/dev/null; then
  echo "slurm is missing: installing it with apt-get (once)" >&2
  install_without_services slurm-wlm munge slurmdbd mariadb-server-core
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "no newer Slurm for tests: making its root needs root" >&2
  exit 0
fi
make_root trixie .make/slurm-root
make_root sid .make/slurm-sid-root
